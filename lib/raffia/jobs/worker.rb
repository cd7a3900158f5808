# frozen_string_literal: true

require_relative "../base/instrument"
require_relative "../base/log"
require_relative "../pool"
require_relative "../process/memory"
require_relative "setup"
require_relative "worker/handle"
require_relative "worker/launcher"
require_relative "worker/queues"
require_relative "worker/shared_metrics"
require_relative "worker/store_report"

module Raffia
  module Jobs
    # Processes jobs: claims as many as it has capacity for, runs each in a fiber, and acknowledges
    # them. This is its face; {Launcher} starts and stops its parts.
    #
    #     worker = Raffia::Jobs::Worker.new(queues: ["mail,3", "low,1"], concurrency: 100).start
    #     ...
    #     worker.stop
    class Worker
      # Jobs at a time by default.
      CONCURRENCY = 50
      # Seconds that jobs have to end when the worker stops.
      TIMEOUT = 25
      # Isolated workers, in which suspects run, at most.
      ISOLATED = 4
      # Seconds without a heartbeat after which an isolated worker is replaced.
      HANG_TIMEOUT = 60
      # Threads by default, for jobs that run on them.
      THREADS = 10

      # @return [Queues]
      attr_reader :queues
      # @return [Integer]
      attr_reader :concurrency
      # @return [Numeric] seconds
      attr_reader :timeout
      # @return [Store]
      attr_reader :store
      # @return [Hash{Symbol => Integer}] jobs at a time: on threads, processes, Ractors; and in
      #   all, which :fibers stands for
      attr_reader :sizes

      # @param store [Store]
      # @param queues [Array<String>, Hash{String => Integer}] in this order; with weights, as in
      #   "mail,3" or {"mail" => 3}, by chance
      # @param concurrency [Integer] jobs at a time
      # @param threads [Integer] of them on threads, at most
      # @param processes [Integer] of them on processes; by default one for each CPU
      # @param ractors [Integer] of them in Ractors; by default one for each CPU
      # @param timeout [Numeric] seconds that jobs have to end when the worker is told to
      # @param lease [Numeric] seconds without a heartbeat after which others take over
      # @param beat [Numeric] seconds between two heartbeats, which is how long a command may take;
      #   by default a third of the lease
      # @param recover [Numeric] seconds between two searches for dead workers; by default a third
      #   of the lease
      # @param middleware [Middleware]
      # @param heart [#beat, nil] is told that the loop turns
      # @param log [Logger, nil]
      # @param instrument [Instrument] gets job_start, job_done, job_fail
      # @param tag [String] for people: of the application
      # @param labels [Array<String>] for people
      # @param backend [Symbol, nil] as {Raffia.run} takes it
      # @param wait [Boolean] whether it waits for an unavailable store when it starts, instead of
      #   raising
      # @param heartbeat [Symbol] when the heart beats: while there is any :progress, or while the
      #   :loop turns. A job that computes or blocks in a fiber keeps the loop from turning
      # @param hang_timeout [Numeric, nil] seconds without a heartbeat after which an isolated
      #   worker is killed; nil: never
      # @param monitored [Boolean] whether a small process beside this one renews the lease when
      #   this one cannot, see {LeaseMonitor}
      # @param isolated [Boolean] whether it runs only suspects, and ends when there are none left,
      #   see {Store::CrashVerdict}
      # @raise [ConfigError]
      def initialize(store = Jobs.store, queues: Queues::DEFAULT, concurrency: CONCURRENCY,
        threads: nil, processes: nil, ractors: nil, timeout: TIMEOUT,
        lease: Store::LEASE, beat: lease / 3.0, recover: lease / 3.0,
        middleware: Setup.current.worker_middleware, heart: nil, log: nil,
        instrument: Raffia.instrument,
        tag: ::File.basename(::Dir.pwd), labels: [], backend: nil, wait: false,
        heartbeat: :progress, hang_timeout: HANG_TIMEOUT, monitored: true, isolated: false)
        @store = store
        @queues = Queues.new(queues)
        @concurrency = count(:concurrency, concurrency)
        @timeout = Pool::Validation.seconds(:timeout, timeout) || timeout
        @sizes = {fibers: concurrency, threads: threads || [THREADS, concurrency].min,
                  processes: processes || Executor::Cpus.count, ractors: ractors || Executor::Cpus.count}
        @sizes.each { |name, size| count(name, size) }
        @log = log || Log.build(Raffia.config)
        @settings = {
          lease: lease, beat: beat, recover: recover, middleware: middleware, heart: heart,
          log: @log,
          instrument: instrument, about: {"tag" => tag, "labels" => labels}, wait: wait,
          lenient: heartbeat == :progress,
          hang_timeout: Pool::Validation.seconds(:hang_timeout, hang_timeout) || hang_timeout,
          monitored: monitored && LeaseMonitor.possible?(store), isolated: isolated,
          inherited: {queues: queues, threads: threads, processes: processes, ractors: ractors,
                      timeout: timeout, lease: lease, beat: beat, recover: recover,
                      middleware: middleware, log: log, instrument: instrument, tag: tag,
                      labels: labels, backend: backend, heartbeat: heartbeat}
        }.freeze
        @backend = backend
        @commands = ::Thread::Queue.new
        @stopping = false
        board = heart.board if heart.respond_to?(:board)
        @metrics = SharedMetrics.new(board, concurrency)
        @report = StoreReport.new(store) { @launcher&.store_error }
        @launcher = Launcher.new(self, @settings, @commands, @metrics)
      end

      # Works until {stop}, in a scheduler of its own.
      # @yield when it is registered, before it claims anything; with `wait` also when it begins to
      #   wait for the store
      # @return [void]
      # @raise [StoreUnavailable] when the store cannot be reached at the start, unless it is to
      #   `wait`; later, the worker waits for it
      def run(&)
        embedded = Fiber.scheduler
        # Fibers that jobs have left running get the signal, as in the main thread of any program.
        stop = SignalException.new("TERM")
        Raffia.run(backend: @backend) do |scope|
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
      # @return [void]
      def stop
        @commands.push(@stopping ? :now : :drain)
        now, @stopping = @stopping, true
        @launcher.announce_stop(now: now)
        nil
      end

      # Claims no more jobs, and waits to be stopped. From any thread, and from a trap.
      # @return [void]
      def quiet
        @commands.push(:quiet)
        nil
      end

      # @return [Boolean]
      def stopping? = @stopping

      # @return [Boolean]
      def quiet? = @launcher.quiet? || @stopping

      # Tells a running job to end: a fiber ends where it waits, a process at once.
      # @param jid [String]
      # @return [Symbol, false] :interrupted, :killed, :told (the job must ask for it itself);
      #   false: it does not run here
      def cancel(jid)
        run = context&.runner&.find(jid) or return false
        how = run.interrupt(:cancelled)
        if how == :told
          why = {why: "on #{run.on} nothing is interrupted: the job must ask stopping?"}
        end
        @log.warn({event: "cancel", jid: jid, on: run.on, how: how, **why.to_h})
        how
      end

      # @return [Hash{String => Hash}] of classes with `on: :auto`: "on" and "why"
      def account = context&.places&.account || {}

      # @return [Hash] sent with each heartbeat
      def state
        {"busy" => context.runner.size, "quiet" => quiet?,
         "rss" => (Process::Memory.resident.to_i / 1024), "work" => context.runner.work}
      end

      # @return [Hash{Symbol => Integer, Array<Integer>}] see {SharedMetrics.read}
      # @api private
      def figures
        @launcher.write_metrics
        SharedMetrics.read([@metrics.board], [::Process.pid])
      end

      # @return [Hash] {"store", "error" (nil: it can be written), "counts", "queues"}
      # @api private
      def report = @report.to_h

      # The same, in a thread.
      # @yieldparam report [Hash]
      # @return [void]
      # @api private
      def report_later(&) = @report.later(&)

      private

      def context = @launcher.context

      def count(name, value)
        Pool::Validation.count(name, value)
        return value if value

        raise ConfigError, "#{name}: nil is not a count: give a whole number from 1 up"
      end
    end
  end
end
