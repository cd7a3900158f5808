# frozen_string_literal: true

require "socket"
require_relative "ack_batcher"
require_relative "backoff"
require_relative "heartbeat"
require_relative "job_logger"
require_relative "loop_monitor"
require_relative "maintenance"
require_relative "executors"
require_relative "reconciliation"
require_relative "runner"
require_relative "suspect_fetcher"

module Raffia
  module Jobs
    class Worker
      # Parts of a worker while it runs, wired together. All runs share it.
      # @api private
      class Context
        attr_reader :worker, :store, :aliases, :shared_lease, :logger, :metrics, :backoff,
          :loop_monitor, :heartbeat, :acks, :executors, :runner, :recurring, :maintenance, :fetcher

        # Yields with each turn of the event loop.
        def initialize(worker, scope, options, lease_monitor, &on_turn)
          @worker = worker
          @store = worker.store
          @aliases = Setup.current.aliases
          @options = options
          @log = options.log
          @lease_monitor = lease_monitor
          @shared_lease = lease_monitor&.shared_lease
          build_observers(&on_turn)
          build_runner(scope)
          build_fetcher
        end

        private

        def build_observers(&)
          @logger = JobLogger.new(@log, @options.instrument)
          @metrics = @logger.metrics
          @backoff = Backoff.new(@log) { @logger.counts.store_retry("unavailable") }
          @loop_monitor = LoopMonitor.new(@options.liveness, @log, lenient: @options.lenient?,
            shared_lease: @shared_lease, &)
          @heartbeat = Heartbeat.new(@store, info, ttl: @options.lease, interval: @options.beat,
            metrics: @metrics, counts: @logger.counts, log: @log, shared_lease: @shared_lease,
            identity: @lease_monitor&.identity || Heartbeat.new_identity)
        end

        def build_runner(scope)
          @acks = AckBatcher.new(@store, @heartbeat, @backoff, @logger)
          @executors = Executors.new(@store, @options.middleware, @worker.sizes, @log,
            @shared_lease)
          @runner = Runner.new(scope, @worker.concurrency, self)
        end

        def build_fetcher
          @recurring = Recurring::Schedule.new(Client.new(@store, Setup.current.client_middleware))
          @maintenance = Maintenance.new(@store, Recurring::Ticker.new(@recurring, @log), @backoff,
            @log, recover: @options.recover, heartbeat: @heartbeat,
            counts: @logger.counts) { run_suspects }
          @fetcher = new_fetcher { @worker.stop }
          reconciliation = Reconciliation.new(@store, @log, @runner, @acks, @fetcher)
          @heartbeat.on_beat { |lease| reconciliation.call(lease) }
        end

        def new_fetcher(&)
          return Fetcher.new(self, @worker.queues, &) unless @options.isolated

          SuspectFetcher.new(self, @worker.queues, link: @options.liveness, &)
        end

        # In isolated workers; where there can be none, here, while nothing else runs.
        def run_suspects
          monitored = @lease_monitor&.ensure_running
          return unless @store.suspects?(@worker.queues.names)

          monitored ? @lease_monitor.isolate : @fetcher.run_suspects
        end

        def info
          queues = @worker.queues
          {"tag" => @options.tag, "labels" => @options.labels, "hostname" => Socket.gethostname,
           "pid" => ::Process.pid, "queues" => queues.names, "weights" => queues.weights,
           "concurrency" => @worker.concurrency, "version" => VERSION,
           "started_at" => Time.now.to_f}
        end
      end
    end
  end
end
