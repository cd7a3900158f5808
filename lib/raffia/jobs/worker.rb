# frozen_string_literal: true

require_relative "../jobs"
require_relative "../process/memory"
require_relative "../service/handle"
require_relative "worker/launcher"
require_relative "worker/options"
require_relative "worker/queues"
require_relative "worker/shared_metrics"
require_relative "worker/store_report"

module Raffia
  module Jobs
    # Processes jobs: claims as many as it has capacity for, runs each in a fiber, and acknowledges
    # them. This is its interface; {Launcher} starts and stops its parts.
    #
    #     worker = Raffia::Jobs::Worker.new(queues: ["mail,3", "low,1"], concurrency: 100).start
    #     ...
    #     worker.stop
    class Worker
      # A worker that runs in a thread of this process. {#stop} lets the jobs that have begun end,
      # for at most the worker's `timeout`.
      class Handle < Service::Handle
        # @return [Worker]
        attr_reader :worker

        # @raise [Exception] that kept it from starting
        def initialize(worker)
          @worker = worker
          super
        end
      end

      # @return [Queues]
      attr_reader :queues
      # @return [Store]
      attr_reader :store

      # @param settings [Hash] see {Settings}
      # @raise [ConfigError]
      def initialize(store = Jobs.store, **settings)
        @store = store
        @options = Options.build(settings)
        @queues = Queues.new(@options.queues)
        @commands = ::Thread::Queue.new
        @stopping = false
        liveness = @options.liveness
        @metrics = SharedMetrics.new((liveness.board if liveness.respond_to?(:board)), concurrency)
        @report = StoreReport.new(store) { @launcher&.store_error }
        @launcher = Launcher.new(self, @options, @commands, @metrics)
      end

      # @return [Integer]
      def concurrency = @options.concurrency

      # @return [Numeric] seconds
      def timeout = @options.timeout

      # @return [Hash{Symbol => Integer}] see {Options#sizes}
      def sizes = @options.sizes

      # Works until {stop}, in a scheduler of its own.
      # @yield when it is registered; with `wait` also when it begins to wait for the store
      # @raise [StoreUnavailable] unless it is to `wait`; later, the worker waits for the store
      def run(&)
        embedded = Fiber.scheduler
        # Fibers that jobs have left running get the signal, as in the main thread of any program.
        stop = SignalException.new("TERM")
        Raffia.run(backend: @options.backend) do |scope|
          @launcher.run(scope, &)
          raise stop unless embedded || Drain.last_fiber?
        end
      rescue SignalException => signal
        raise unless signal.equal?(stop)
      ensure
        @report.close
      end

      # Works in a thread of this process.
      # @return [Handle] when it is registered
      # @raise [StoreUnavailable]
      def start = Handle.new(self)

      # Drains: running jobs may end, for at most {timeout}. The second call interrupts them. From
      # any thread, and from a trap.
      def stop
        @commands.push(@stopping ? :now : :drain)
        now, @stopping = @stopping, true
        @launcher.announce_stop(now: now)
        nil
      end

      # Claims no more jobs, and waits to be stopped. From any thread, and from a trap.
      def quiet
        @commands.push(:quiet)
        nil
      end

      # @return [Boolean]
      def stopping? = @stopping

      # @return [Boolean]
      def quiet? = @launcher.quiet? || @stopping

      # Ends a running job: a fiber ends where it waits, a process at once.
      # @param jid [String]
      # @return [Symbol, false] :interrupted, :killed, :requested (the job must ask for it itself);
      #   false: it does not run here
      def cancel(jid)
        run = context&.runner&.find(jid) or return false
        how = run.interrupt(:cancelled)
        if how == :requested
          why = {why: "on #{run.on} nothing is interrupted: the job must ask stopping?"}
        end
        @options.log.warn({event: "cancel", jid: jid, on: run.on, how: how, **why.to_h})
        how
      end

      # @return [Hash{String => Hash}] of classes with `on: :auto`: "on" and "why"
      def account = context&.executors&.account || {}

      # @return [Hash] sent with each heartbeat
      def state
        {"busy" => context.runner.size, "quiet" => quiet?,
         "rss" => (Process::Memory.resident.to_i / 1024), "work" => context.runner.work}
      end

      # See {SharedMetrics.read}.
      # @api private
      def figures
        @launcher.write_metrics
        SharedMetrics.read([@metrics.board], [::Process.pid])
      end

      # Counts by queue and class, see {RunCounts#to_h}.
      # @api private
      def counts = context&.logger&.counts.to_h

      # The block gets rows of {RunCounts#take}, and returns false when it could not pass them on.
      # @api private
      def on_counts(&block) = @on_counts = block

      # @api private
      def report_counts(counts)
        return unless @on_counts

        counts.take.each { |rows| counts.add(rows) unless @on_counts.call(rows) }
      end

      # Hash of "store", "error" (nil: it can be written), "counts", "queues".
      # @api private
      def report = @report.to_h

      # The worker of a suspect. The liveness belongs to its process.
      # @api private
      def isolated(liveness)
        Worker.new(store, **@options.for_isolated, concurrency: 1, liveness:, isolated: true)
      end

      # Yields the report in a thread.
      # @api private
      def report_later(&) = @report.later(&)

      private

      def context = @launcher.context
    end
  end
end
