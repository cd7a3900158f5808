# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/base/error"
require "raffia/lab/report/target"

module Raffia
  module Lab
    class TargetTest < TestCase
      def test_it_is_not_there_before_it_is_written
        Dir.mktmpdir do |dir|
          path = File.join(dir, "out.json")
          target = Report::Target.new(path)
          refute_path_exists path
          target.write("text")
          assert_equal "text", File.read(path)
        end
      end

      def test_what_is_there_stays_until_it_is_written
        Dir.mktmpdir do |dir|
          path = File.join(dir, "out.json")
          File.write(path, "old")
          target = Report::Target.new(path)
          assert_equal "old", File.read(path)
          target.write("new")
          assert_equal "new", File.read(path)
        end
      end

      def test_what_cannot_be_written_is_said_at_once
        {"/no/such/folder/out.json" => "No such file or directory",
         "/" => "Is a directory"}.each do |path, reason|
          error = assert_raises(ConfigError) { Report::Target.new(path) }
          assert_equal "#{path} cannot be written: #{reason}. Name a file in a folder that you " \
            "may write to", error.message
        end
      end
    end
  end
end
