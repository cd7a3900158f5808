# frozen_string_literal: true

require_relative "../cli/serve_case"

module Raffia
  # `rackup -s raffia` and `rails server -u raffia`, by the real gems.
  class RackupTest < CLIServeCase
    RACKUP = ["-e", 'load Gem.bin_path("rackup", "rackup")', "--", "-s", "raffia"].freeze

    def setup
      super
      need_gem "rackup"
    end

    def test_rackup
      rackup do |url, server|
        assert_equal server.pid, get(url).to_i
        server.kill(:INT)
        assert_equal 0, server.ended.exitstatus
        refute_match(/Error|\.rb:\d+/, server.err)
      end
    end

    def test_host_port_and_environment
      script 'run ->(_env) { [200, {"content-type" => "text/plain"}, [ENV["RACK_ENV"]]] }',
        "config.ru"
      rackup("-o", "127.0.0.1", "-E", "deployment") do |url, server|
        assert_equal "deployment", get(url)
        assert_match(/in deployment: http:\/\/127\.0\.0\.1:\d+$/, server.out)
      end
    end

    def test_options_of_ours
      rackup("-O", "processes=2", "-O", "idle_timeout=5") do |url, server|
        refute_equal server.pid, get(url).to_i
        server.kill(:INT)
        assert_equal 0, server.ended.exitstatus
      end
    end

    def test_raffia_rb_counts
      script "processes 1\nbind 'tcp://127.0.0.1:0'", "raffia.rb"
      rackup { |url, server| refute_equal server.pid, get(url).to_i }
    end

    def test_it_tells_that_it_gave_up
      script "processes 1\nafter_fork { exit!(3) }", "raffia.rb"
      server = start(*RACKUP, "-p", "0")
      assert_equal 1, server.ended.exitstatus
      assert_match(/Giving up/, server.err)
    end

    def test_wrong_options_are_named
      server = start(*RACKUP, "-p", "0", "-O", "idle_timeout=soon")
      assert_equal 1, server.ended.exitstatus
      assert_match(/idle_timeout "soon" makes no sense/, server.err)
    end

    def test_its_help_lists_our_options
      ended = ruby(*RACKUP, "--help")
      assert_match(/Raffia.*-O processes=N\|auto/m, ended.out)
    end

    def test_rails_server
      need_gem "railties"
      write_rails
      rails("server", "-u", "raffia", "-p", "0") do |server|
        url = wait_until(PROCESS_PATIENCE) do
          server.out[%r{in development: (http://127\S+?:\d+)}, 1] ||
            (!server.running? && flunk(server.err))
        end
        assert_equal "hello from #{server.pid}", get(url)
        assert_match(/=> Booting Raffia/, server.out)
        assert_match(/=> Rails [\d.]+ application starting in development/, server.out)
        server.kill(:INT)
        server.ended
        assert_match(/Exiting/, server.out)
        refute_match(/Error/, server.err)
      end
    end

    private

    def need_gem(name)
      if Gem::Specification.find_all_by_name(name).empty?
        skip "the gem #{name} is not installed (bin/setup --server)"
      end
    end

    # @yieldparam url [String]
    # @yieldparam server [Running]
    def rackup(*argv)
      server = start(*RACKUP, "-p", "0", *argv)
      url = wait_until(PROCESS_PATIENCE) do
        server.out[%r{http://127\S+?:\d+}] || (!server.running? && flunk(server.err))
      end
      yield url, server
    ensure
      server&.finish
    end

    def get(url)
      response = Net::HTTP.get_response(URI(url))
      assert_equal "200", response.code, response.body
      response.body
    end

    def write_rails
      FileUtils.mkdir_p([File.join(@dir, "config"), File.join(@dir, "bin")])
      script <<~RUBY, "config/application.rb"
        require "rails"
        require "action_controller/railtie"
        class Hello < Rails::Application
          config.root = File.expand_path("..", __dir__)
          config.eager_load = false
          config.hosts.clear
          config.secret_key_base = "x" * 64
          config.logger = Logger.new(IO::NULL)
          headers = {"content-type" => "text/plain"}
          hello = ->(_env) { [200, headers.dup, ["hello from \#{Process.pid}"]] }
          routes.append { root to: hello }
        end
      RUBY
      script "require_relative 'application'\nHello.initialize!", "config/environment.rb"
      script "require_relative 'config/environment'\nrun Rails.application", "config.ru"
      script "APP_PATH = File.expand_path('../config/application', __dir__)\nrequire " \
        "'rails/commands'", "bin/rails"
    end

    def rails(*argv)
      server = start("bin/rails", *argv)
      yield server
    ensure
      server&.finish
    end
  end
end
