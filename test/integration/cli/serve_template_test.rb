# frozen_string_literal: true

require_relative "serve_case"

module Raffia
  # Which processes `raffia serve` has, and which of them load the application.
  class CLIServeTemplateTest < CLIServeCase
    LOADERS = 'loader = Process.pid; run ->(_env) { [200, {}, [[loader, Process.pid].join(" ")]] }'

    def setup
      super
      need_fork
      unless File.exist?("/proc/self/task/#{::Process.pid}/children")
        skip "process lists need Linux"
      end
      script LOADERS, "config.ru"
    end

    def children(pid) = File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)

    def settings(text) = script(text, "raffia.rb")

    # @return [Array(Integer, Integer)] the process that loaded what answers, and the one that
    #   answers
    def answer(server) = server.get.body.split.map { |pid| Integer(pid) }

    def test_the_only_worker_loads_for_itself
      serve("--processes", "1") do |server|
        loader, worker = answer(server)
        assert_equal worker, loader
        assert_equal [worker], children(server.pid)
      end
    end

    def test_two_workers_share_what_a_template_process_has_loaded
      serve("--processes", "2") do |server|
        loaders = Array.new(16) { answer(server).first }.uniq
        assert_equal 1, loaders.size
        wait_until(PROCESS_PATIENCE) { children(server.pid).size == 3 }
        assert_includes children(server.pid), loaders.first
        refute_includes Array.new(16) { answer(server).last }, loaders.first
      end
    end

    def test_a_setting_brings_the_template_process_or_takes_it_away
      {"true" => [1, 2, false], "auto" => [1, 1, true],
       "false" => [2, 2, true]}.each do |preload, (workers, processes, own)|
        settings "preload #{(preload == "auto") ? ":auto" : preload}\nprocesses #{workers}"
        serve do |server|
          loader, worker = answer(server)
          assert_equal own, loader == worker, preload
          wait_until(PROCESS_PATIENCE) { children(server.pid).size == processes }
        end
      end
    end

    # The next one loads while the old one serves.
    def test_a_restart_of_the_only_worker_loses_no_request
      script 'run ->(_env) { [200, {}, ["old"]] }', "config.ru"
      serve("--processes", "1") do |server|
        server.get
        bodies = Thread.new do
          [server.get].tap { |all| all << server.get until all.last.body == "new" }
        end
        script 'sleep(0.3); run ->(_env) { [200, {}, ["new"]] }', "config.ru"
        server.kill(:HUP)
        assert_equal [%w[200 old], %w[200 new]],
          bodies.value.map { |one| [one.code, one.body] }.uniq
        wait_until(PROCESS_PATIENCE) { server.err.include?("restarted: generation 2") }
        wait_until(PROCESS_PATIENCE) { children(server.pid).size == 1 }
      end
    end

    def test_a_restart_of_the_only_worker_that_fails_leaves_the_old_one
      serve("--processes", "1") do |server|
        before = answer(server)
        script 'raise "a bug"', "config.ru"
        server.kill(:HUP)
        wait_until(PROCESS_PATIENCE) { server.err.include?("THE RESTART HAS FAILED") }
        assert_equal before, answer(server)
      end
    end

    # Clients that come meanwhile wait: the supervisor holds the socket.
    def test_the_only_worker_is_replaced_when_it_is_killed
      serve("--processes", "1") do |server|
        _, worker = answer(server)
        ::Process.kill(:KILL, worker)
        wait_until(PROCESS_PATIENCE) { server.err.match?(/worker 0 .*#{worker}.*SIGKILL/) }
        loader, other = answer(server)
        assert_equal other, loader
        refute_equal worker, other
        assert_equal [other], children(server.pid)
      end
    end

    def test_an_application_that_does_not_load_is_tried_once
      script 'raise "a bug"', "config.ru"
      start(EXECUTABLE, "serve", "--json", "-p", "0", "--processes", "1").then do |server|
        assert_equal 1, server.ended.exitstatus
        assert_equal 1, server.err.scan("a bug").size, server.err
        assert_match(/could not be loaded; its own message, above, says why/, server.err)
      ensure
        server.finish
      end
    end

    # Hooks behave the same behind a template process.
    def test_hooks_find_the_application_loaded
      script "$loaded = [:app]\nrun ->(_env) { [200, {}, [$loaded.inspect]] }", "config.ru"
      settings "before_fork { $loaded << :before }\nafter_fork { $loaded << :after }"
      %w[1 2].each do |processes|
        serve("--processes", processes) do |server|
          assert_equal "[:app, :before, :after]", server.get.body.sub(":before, :before", ":before")
        end
      end
    end

    def test_YJIT_compiles_what_runs_after_loading
      skip "this Ruby has no YJIT" unless defined?(::RubyVM::YJIT.enable)

      script <<~'RUBY', "config.ru"
        loading = RubyVM::YJIT.enabled?
        run ->(_env) { [200, {}, ["#{loading} #{RubyVM::YJIT.enabled?}"]] }
      RUBY
      %w[0 1 2].each do |processes|
        serve("--processes", processes, env: {"RUBY_YJIT_ENABLE" => "0",
                                              "RUBYOPT" => nil}) do |server|
          assert_equal "false true", server.get.body
          assert server.facts["yjit"]
        end
      end
      serve("--no-yjit", "--processes", "1",
        env: {"RUBY_YJIT_ENABLE" => "0", "RUBYOPT" => nil}) do |server|
        assert_equal "false false", server.get.body
        refute server.facts["yjit"]
      end
    end
  end
end
