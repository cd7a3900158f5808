# frozen_string_literal: true

require_relative "../../process/watchdog"
require_relative "context"
require_relative "drain"
require_relative "lease_monitor"
require_relative "registration"

module Raffia
  module Jobs
    class Worker
      # Starts the parts of a worker, and stops them in order:
      #
      # 1. forks the lease monitor, while there is little in this process that a fork could harm,
      #    from a heap that is collected and compact, so that both share most of it
      # 2. registers with the store
      # 3. starts heartbeats in a thread; acknowledgements, maintenance and the fetcher in fibers
      # 4. executes commands until it is to stop
      # 5. drains, and gives the lease back
      #
      # @api private
      class Launcher
        # Nil before it runs.
        attr_reader :context, :lease_monitor

        def initialize(worker, options, commands, shared_metrics)
          @worker = worker
          @options = options
          @log = options.log
          @commands = commands
          @shared_metrics = shared_metrics
          @quiet = false
          @helpers = []
        end

        def quiet? = @quiet

        # Returns when the worker has stopped. Yields once it is registered, or waits for the store.
        def run(scope, &)
          start_lease_monitor if @options.monitored && LeaseMonitor.possible?(@worker.store)
          Setup.current.at_start.each { |hook| hook.call(@worker, @log) }
          @context = Context.new(@worker, scope, @options, @lease_monitor) { write_metrics }
          @helpers << scope.spawn { @context.loop_monitor.run }
          registration = Registration.new(@context.backoff, @commands, wait: @options.wait, &)
          work(scope, registration) if registration.call(@worker) { register }
        ensure
          @helpers.each { |task| task.cancel(:stop) }
          Raffia.shield { close }
        end

        # From any thread, and from a trap. Now: jobs are interrupted.
        def announce_stop(now:)
          now ? @lease_monitor&.interrupt : @lease_monitor&.drain
          @context&.heartbeat&.abandon_after(@worker.timeout + 2 * Drain::GRACE)
        end

        def write_metrics
          return unless @context

          isolated = @lease_monitor&.isolated || []
          @shared_metrics.write(@context.metrics.totals, @context.runner.size, isolated)
          counts = @context.logger.counts
          counts.isolated(SharedMetrics.totals(isolated))
          counts.enqueued(Jobs.enqueued)
          counts.expired(@worker.store.expired)
          @worker.report_counts(counts)
        end

        def store_error = @context && (@context.heartbeat.last_error || @context.backoff.last_error)

        private

        def start_lease_monitor
          Process::Warmup.call
          grace = @worker.timeout + 3 * Drain::GRACE
          @lease_monitor = LeaseMonitor.new(@worker.concurrency, @log, store: @worker.store,
            liveness: @options.liveness, lenient: @options.lenient?,
            isolation: {make: (@worker.method(:isolated) unless @options.isolated),
                        hang_timeout: @options.hang_timeout, grace: grace})
        end

        def register
          @context.heartbeat.register
          @context.recurring.replace_code(Setup.current.recurring) unless @options.isolated
        end

        def work(scope, registration)
          start_heartbeat
          tasks = [@context.acks, *(@context.maintenance.tasks unless @options.isolated)]
          @helpers.concat(tasks.map { |task| scope.spawn { task.run } })
          sidecars = Raffia::Run::Sidecars.new(Setup.current.actors, @log)
            .begin(scope) { @worker.stop }
          registration.announce
          fetcher = scope.spawn { @context.fetcher.run }
          wait_for_stop
          @context.fetcher.close
          fetcher.join
          drain
          sidecars.stop(@worker.timeout)
        end

        # An error of the heartbeat ends the worker.
        def start_heartbeat
          @watchdog = Process::Watchdog.new(LoopMonitor::INTERVAL) { @context.loop_monitor.check }
          @heartbeats = Pool.new(on: :threads, workers: 1, idle: nil)
          @heartbeats.submit do
            @context.heartbeat.run(@worker.method(:state)) { |command| execute(command) }
          rescue => error
            @commands.push(error)
          end
        end

        def wait_for_stop
          while (command = @commands.pop) == :quiet
            @quiet = true
            @log.warn({event: "quiet", why: "begins no more jobs"})
            @context.fetcher.close
          end
          raise command if command.is_a?(Exception)
        end

        def execute(command)
          case command
          when "quiet" then @worker.quiet
          when "stop" then @worker.stop
          when "dump" then Raffia.dump
          when /\Acancel (\S+)/ then @worker.cancel($1)
          when /\Atrace (\S+)/ then trace($1)
          else @log.warn({event: "unknown command", order: command})
          end
        end

        # The next heartbeat, which is sent now, shows it.
        def trace(jid)
          @context.runner.find(jid)&.trace
          @context.heartbeat.beat_now
        end

        def drain
          @context.executors.announce_stop
          @context.runner.on_idle { @commands.push(:idle) }
          Drain.new(@context.runner, @context.acks, @log)
            .call(@worker.timeout) { |seconds| @commands.pop(timeout: seconds) }
        end

        def close
          resign if @context&.heartbeat&.lease
          @lease_monitor&.close(@worker.timeout + 4 * Drain::GRACE)
          write_metrics # suspects may have ended after all else
        end

        def resign
          @context.heartbeat.stop
          @heartbeats&.shutdown(Drain::GRACE)
          @watchdog&.close
          @context.heartbeat.resign
          @context.executors.close
          write_metrics
        end
      end
    end
  end
end
