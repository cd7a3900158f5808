# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "raffia/lab/catalog"
require_relative "service_case"

module Raffia
  module Lab
    # With the real server and the real drivers; what a machine lacks is what the experiment would
    # say too.
    class MariaDBTest < ServiceCase
      def setup
        missing = Lab.experiment("blocking_db").obstacles({}).values.first
        skip missing if missing
        @dir = Dir.mktmpdir("raffia-test-")
        File.chmod(0o755, @dir)
      end

      def teardown
        FileUtils.remove_entry(@dir) if @dir
      end

      def serve(*, &) = Dir.stub(:tmpdir, @dir) { super }

      def test_rows_are_counted_and_forgotten
        serve(:mariadb) do |port|
          %i[trilogy mysql2].each do |driver|
            assert_equal 200, BlockingDB::Application.new(driver, port, 0.01).call({}).first
          end
          assert_equal({rows: 2}, report)
          tell("reset")
          assert_equal({rows: 0}, report)
        end
      end

      def test_statements_run_side_by_side_on_as_many_connections
        serve(:mariadb) do |port|
          app = BlockingDB::Application.new(:trilogy, port, 1)
          Raffia.run { |scope| 20.times { scope.spawn { app.call({}) } } }
          connections = app.instance_variable_get(:@idle)
          assert_equal [20, {rows: 20}], [connections.size, report]
          app.call({})
          assert_equal 20, connections.size
        end
      end

      def test_one_that_does_not_start_says_why
        Dir.mktmpdir do |dir|
          program = File.join(dir, "mariadbd")
          File.write(program, "#!/bin/sh\necho out of order\nexit 1\n", perm: 0o755)
          File.chmod(0o755, dir) # for nobody
          server = Service::MariaDB.new
          error = Dir.stub(:tmpdir, @dir) do
            Service::MariaDB.stub(:program, program) do
              assert_raises(Raffia::Error) { server.open(nil) }
            end
          end
          assert_equal "MariaDB did not start: out of order\n", error.message
          server.close
        end
        assert_empty left
      end

      def test_nothing_is_left_of_it
        serve(:mariadb) { |_port| assert_equal 1, left.size }
        assert_empty left
      end

      private

      # Only our own folder counts, because other tests run meanwhile.
      def left = Dir[File.join(@dir, "raffia-lab-mariadb-*")]
    end
  end
end
