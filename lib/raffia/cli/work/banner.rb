# frozen_string_literal: true

require "json"

module Raffia
  module CLI
    module Work
      # What is said when it starts.
      #
      # @api private
      class Banner
        # @param given [Hash]
        # @param program [Program]
        # @param queues [Jobs::Worker::Queues]
        # @param health [Server::Handle, nil]
        # @param dashboard [Dashboard, nil]
        def initialize(given, program, queues, health, dashboard = nil)
          @dashboard = dashboard
          @given = given
          @program = program
          @queues = queues
          @health = health
        end

        # @param out [IO]
        # @return [void]
        def say(out)
          @given[:json] ? out.puts(JSON.generate(facts)) : text(out)
          out.flush # whoever waits for it may read a pipe
        end

        private

        def facts
          {event: "start", version: VERSION, ruby: RUBY_VERSION, yjit: yjit?, back_end: Engine.best, pid: ::Process.pid, program: @program.name,
           store: store, queues: @queues.names, weights: @queues.weights, concurrency: concurrency, processes: @given[:processes], health: @health&.url, web: @dashboard&.url}
        end

        def text(out)
          out.puts "Raffia #{VERSION} (Ruby #{RUBY_VERSION}#{" with YJIT" if yjit?}, #{Engine.best}) works for #{@program.name}"
          out.puts "  queues #{@queues}#{" of #{store}" if store}"
          out.puts "  #{processes}, #{concurrency} jobs at a time#{" in each" if @given[:processes] > 1}"
          out.puts "  #{@health.url}/health" if @health
          out.puts "  #{@dashboard.url} shows the jobs" if @dashboard
          out.puts "Ctrl-C stops it (process #{::Process.pid})"
        end

        def processes
          count = @given[:processes]
          count.zero? ? "in this process" : "#{count} worker process#{"es" if count > 1}"
        end

        # What the program says is known in the process that has loaded it, which is another one than a supervisor.
        def store = (Jobs.store.url if @given[:store] || @given[:processes].zero?)

        def concurrency = @given[:concurrency] || Jobs::Worker::CONCURRENCY

        def yjit? = defined?(::RubyVM::YJIT) ? !!::RubyVM::YJIT.enabled? : false
      end
    end
  end
end
