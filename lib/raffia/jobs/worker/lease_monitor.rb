# frozen_string_literal: true

require_relative "../../process/monitor_process"
require_relative "../../process/supervisor/scoreboards"
require_relative "heartbeat"
require_relative "lease_monitor/loop"
require_relative "shared_lease"
require_relative "shared_metrics"

module Raffia
  module Jobs
    class Worker
      # Handle of a small process for each worker, which is replaced when it dies. It
      #
      # * renews the lease while a call into C keeps Ruby's lock, and the worker cannot
      # * ends the lease at once when the worker dies, and tells the store which jobs had begun
      # * forks the isolated workers, which run suspects ({Store::CrashVerdict}), from a process in
      #   which no job has ever run
      #
      # See docs/adr/0020.
      # @api private
      class LeaseMonitor
        # Isolated workers, in which suspects run, at most.
        ISOLATED = 4
        private_constant :ISOLATED

        # Processes must be able to share the store.
        def self.possible?(store)
          store.shared? && ::Process.respond_to?(:fork) && !defined?(JRUBY_VERSION)
        end

        # The identity is that of the lease; :isolated are the boards of isolated workers.
        attr_reader :shared_lease, :identity, :isolated

        # +isolation+ has further keywords of {IsolatedWorkers}, +settings+ those of {Loop}.
        def initialize(concurrency, log, isolation:, **settings)
          @shared_lease = SharedLease.new(concurrency)
          @identity = Heartbeat.new_identity
          @log = log
          boards = Process::Supervisor::Scoreboards.new([ISOLATED, concurrency].min,
            SharedMetrics::SIZE)
          @isolated = Array.new(boards.slots) { |slot| boards.board(slot) }
          @settings = {**settings, identity: @identity, isolation: {**isolation, boards: boards}}
          start
        end

        def pid = @process&.pid

        # Replaces a monitor that has died. Returns whether there is one.
        def ensure_running
          return true if @process&.alive?

          @log.warn({event: "lease monitor died", pid: pid})
          start
          !@process.nil?
        end

        def isolate = @process.tell(Loop::ISOLATE)

        # The worker stops. From any thread, and from a trap.
        def drain
          @shared_lease.mark_stopping
          @process&.tell(Loop::DRAIN)
        end

        # The worker stops now. From any thread, and from a trap.
        def interrupt = @shared_lease.mark_interrupting

        def close(seconds) = @process&.close(seconds)

        private

        def start
          @process = nil
          worker = ::Process.pid
          @process = Process::MonitorProcess.new do |commands, ready|
            Loop.new(worker, @shared_lease, commands, @log, **@settings).run(ready)
          end
          unless @process.ready
            @log.error({event: "no lease monitor", why: "it does not begin to run"})
          end
        rescue SystemCallError, ThreadError => error
          @log.error({event: "no lease monitor", error: error.message})
        end
      end
    end
  end
end
