# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "tmpdir"
require "raffia/lab/interpreter"

module Raffia
  module Lab
    # Other Rubies to measure with, and what is none.
    class InterpreterTest < TestCase
      def test_this_one
        ruby, = Interpreter.all([RbConfig.ruby])
        assert_equal [[RbConfig.ruby], RUBY_ENGINE_VERSION, RUBY_DESCRIPTION],
          [ruby.command, ruby.version, ruby.description]
        assert_includes ruby.label, RUBY_ENGINE_VERSION
      end

      # Gems that were built for one series crash another.
      def test_another_series_has_gems_of_its_own
        ruby, = Interpreter.all([RbConfig.ruby])
        assert_empty ruby.environment
        assert_equal({"GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYLIB" => nil},
          ruby.with(version: "9.9.9").environment)
      end

      def test_the_same_twice_is_one
        assert_equal 1, Interpreter.all([RbConfig.ruby, RbConfig.ruby]).size
      end

      def test_options_make_another_with_a_label_of_its_own
        labels = Interpreter.all([RbConfig.ruby, "#{RbConfig.ruby} -W1"]).map(&:label)
        assert_equal 2, labels.uniq.size
        assert_includes labels.last, "-W1"
      end

      def test_what_is_no_ruby
        {"/no/such/ruby" => %r{\A/no/such/ruby cannot be started: No such file or directory},
         "true" => /\Atrue does not answer as a Ruby does: status 0\z/,
         "echo" => /\Aecho does not answer as a Ruby does/,
         "/etc/passwd" => /\A\/etc\/passwd cannot be started: Permission denied/,
         "  " => /\A--ruby names no program/,
         "ruby 'x" => /\A--ruby ruby 'x: Unmatched quote/}.each do |text, message|
          error = assert_raises(ConfigError, text) { Interpreter.all([text]) }
          assert_match message, error.message
        end
      end

      def test_one_that_is_too_old
        assert_refused(/is ruby 3\.1\.2p20; Raffia needs Ruby 3\.3\.5 or later\z/, ruby: "3.1.2",
          description: "ruby 3.1.2p20")
      end

      def test_one_without_the_extension_says_which_command_builds_it
        advice = %r{Build it: RAFFIA_RUBY=\S+ruby bin/setup\z}
        assert_refused(/\(ruby 9\.9\.9\) has no extension of Raffia\. #{advice}/, extension: false)
      end

      def test_one_whose_extension_is_broken
        assert_refused(/\(ruby 9\.9\.9\) cannot load Raffia: LoadError: bad ELF\. Build it: /,
          broken: "LoadError: bad ELF")
      end

      # JRuby has none, and needs none.
      def test_other_implementations_need_no_extension
        answering(engine: "jruby", version: "10.0", extension: false) do |path|
          assert_equal ["jruby 10.0"], Interpreter.all([path]).map(&:label)
        end
      end

      def test_yjit_is_told
        answering(extension: true, yjit: true) do |path|
          assert_equal ["9.9.9 YJIT"], Interpreter.all([path]).map(&:label)
        end
      end

      private

      def assert_refused(message, **facts)
        answering(**facts) do |path|
          error = assert_raises(ConfigError) { Interpreter.all([path]) }
          assert_match message, error.message
        end
      end

      # A program that says of itself what a Ruby would: not every machine has one of each kind.
      def answering(**facts)
        Dir.mktmpdir do |dir|
          path = File.join(dir, "ruby")
          answer = {engine: "ruby", version: "9.9.9", ruby: "9.9.9", description: "ruby 9.9.9",
                    yjit: false, **facts}
          File.write(path, "#!/bin/sh\ncat <<'E'\n#{JSON.generate(answer)}\nE\n")
          FileUtils.chmod(0o755, path)
          yield path
        end
      end
    end
  end
end
