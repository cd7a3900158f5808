# frozen_string_literal: true

require "test_helper"
require "tmpdir"

module Raffia
  # Answers to a program that requires a gem with a layer. Each test has a subprocess, because
  # loaded files stay loaded.
  class CompatTest < TestCase
    OURS = "Evt::Uring < Raffia::Scheduler"

    def test_no_layer_answers_by_default
      assert_equal "nil\nLoadError\n", output_of(<<~RUBY)
        require "raffia"
        p defined?(Raffia::Compat)
        begin
          require "evt"
        rescue LoadError => error
          puts error.class
        end
      RUBY
    end

    def test_a_layer_by_its_name_answers_for_the_gem_from_then_on
      assert_equal "true\nfalse\n",
        output_of(%(require "raffia/compat/evt"\np #{OURS}\np require("evt")))
    end

    def test_a_requested_layer_answers_the_programs_requires
      assert_equal "true\nfalse\ntrue\n",
        output_of(%(require "raffia/compat"\np require("evt"), require("evt.rb"), #{OURS}))
    end

    def test_kernel_require_and_autoload_are_answered
      assert_equal "true\ntrue\n",
        output_of(%(require "raffia/compat"\np Kernel.require("evt"), #{OURS}))
      assert_equal "true\n", output_of(%(autoload :Evt, "evt"\nrequire "raffia/compat"\np #{OURS}))
    end

    # The threads come while the layer loads, and must not find a missing or incomplete constant.
    def test_concurrent_autoloads
      %w[evt parallel].each do |feature|
        assert_equal "[true]\n", output_of(<<~RUBY)
          require "raffia/compat"
          name, whole = {
            "evt" => [:Evt, ->(all) { all.const_defined?(:Scheduler) }],
            "parallel" => [:Parallel, ->(all) { all.respond_to?(:worker_number) }]
          }.fetch("#{feature}")
          autoload name, "#{feature}"
          threads = Array.new(40) do
            sleep 0.003
            Thread.new { whole.call(Object.const_get(name)) rescue $! }
          end
          p threads.map(&:value).uniq
        RUBY
      end
    end

    def test_an_obsolete_autoload
      assert_equal "true\nfalse\nnil\ntrue\n",
        output_of(%(require "raffia/compat"\nautoload :Evt, "evt"\n) +
          %(p require("evt"), require("evt"), autoload?(:Evt), #{OURS}))
    end

    def test_all_types_that_kernel_require_accepts
      assert_equal "true\nfalse\nTypeError\n", output_of(<<~RUBY)
        require "pathname"
        require "raffia/compat"
        p require(Pathname("evt")), require(Struct.new(:to_str).new("evt"))
        begin
          require nil
        rescue TypeError => error
          puts error.class
        end
      RUBY
    end

    def test_other_features_are_required_as_before
      assert_equal "true\nfalse\nLoadError\n", output_of(<<~RUBY)
        require "raffia/compat"
        p require("ostruct"), require("ostruct")
        begin
          require "evt_of_another"
        rescue LoadError => error
          puts error.class
        end
      RUBY
    end

    def test_an_error_lists_the_provided_features
      assert_equal "evt/ractor\ntrue\ntrue\n", output_of(<<~RUBY)
        require "raffia/compat"
        begin
          require "evt/ractor"
        rescue LoadError => error
          puts error.path
          p error.message.include?("cannot load such file -- evt/ractor"),
            error.message.include?("evt, evt/version")
        end
      RUBY
    end

    def test_a_loaded_original_is_left_alone
      assert_equal "true\n:original\nnil\n", with_original(<<~RUBY)
        require "raffia/compat"
        load "evt.rb"
        p require("evt"), Evt::WHOSE, defined?(Evt::Uring)
      RUBY
    end

    def test_a_layer_refuses_to_take_the_place_of_a_loaded_original
      assert_equal "evt\ntrue\n:original\n", with_original(<<~RUBY)
        require "evt"
        begin
          require "raffia/compat/evt"
        rescue Raffia::Error => error
          puts error.gem_name
          p error.message.match?(
            /the gem evt is loaded already .*require "raffia\\/compat\\/evt" before/
          )
        end
        p Evt::WHOSE
      RUBY
    end

    def test_the_gem_parallel_itself
      if Gem::Specification.find_all_by_name("parallel").empty?
        skip "the gem parallel is not installed (bin/setup)"
      end
      assert_equal "Raffia::Compat::OriginalLoaded\ntrue\nfalse\n", output_of(<<~RUBY)
        require "parallel"
        begin
          require "raffia/compat/parallel"
        rescue Raffia::Error => error
          puts error.class
        end
        p Parallel.const_defined?(:JobFactory), require("parallel")
      RUBY
      assert_equal "true\nfalse\n",
        output_of(
          %(require "raffia/compat"\np require("parallel"), Parallel.const_defined?(:JobFactory))
        )
    end

    def test_a_file_of_a_gem_by_its_whole_path
      if Gem::Specification.find_all_by_name("parallel").empty?
        skip "the gem parallel is not installed (bin/setup)"
      end
      assert_equal "true\nfalse\nfalse\n", output_of(<<~RUBY)
        require "raffia/compat"
        file = File.join(Gem::Specification.find_by_name("parallel").full_require_paths.first,
          "parallel.rb")
        p require(file), Parallel.const_defined?(:JobFactory), require("parallel")
      RUBY
      assert_equal "true\ntrue\n", output_of(<<~RUBY)
        require "raffia/compat"
        p require(File.join(RbConfig::CONFIG["rubylibdir"], "find.rb")),
          defined?(Find) == "constant"
      RUBY
    end

    def test_an_installed_original_that_is_not_loaded_does_not_count
      assert_equal "true\n", with_original(%(require "raffia/compat"\nrequire "evt"\np #{OURS}))
    end

    def test_layers_are_limited_by_the_environment
      assert_equal "true\n",
        output_of(
          %(ENV["RAFFIA_COMPAT"] = "evt"\nrequire "raffia/compat"\nrequire "evt"\np #{OURS})
        )
      assert_match(/\Anonsense is no layer of raffia\/compat: use some of .*evt/,
        output_of(<<~RUBY))
          ENV["RAFFIA_COMPAT"] = "nonsense"
          begin
            require "raffia/compat"
          rescue Raffia::ConfigError => error
            puts error.message
          end
        RUBY
    end

    def test_a_later_alias_of_require_still_works
      assert_equal "[\"evt\", true]\n[\"set\", false]\n",
        output_of(<<~RUBY).gsub(/\["(?!evt"|set").*\n/, "")
          require "set"
          require "raffia/compat"
          module Kernel
            alias_method :require_of_another, :require
            def require(path) = require_of_another(path).tap { |new| p [path, new] }
          end
          require "evt"
          require "set"
        RUBY
    end

    private

    # The load path has a file that defines the constant, as the gem's does.
    def with_original(script)
      Dir.mktmpdir do |dir|
        File.write(File.join(dir, "evt.rb"), "module Evt\n  WHOSE = :original\nend\n")
        output_of(%($LOAD_PATH.unshift(#{dir.inspect})\n#{script}))
      end
    end
  end
end
