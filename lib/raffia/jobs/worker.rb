# frozen_string_literal: true

require "socket"
require_relative "../base/instrument"
require_relative "../base/log"
require_relative "../pool"
require_relative "../process/lookout"
require_relative "../process/memory"
require_relative "recurring"
require_relative "setup"
require_relative "worker/acks"
require_relative "worker/desk"
require_relative "worker/drain"
require_relative "worker/enrollment"
require_relative "worker/handle"
require_relative "worker/intake"
require_relative "worker/journal"
require_relative "worker/keeper"
require_relative "worker/monitoring"
require_relative "worker/meter"
require_relative "worker/patience"
require_relative "worker/places"
require_relative "worker/pulse"
require_relative "worker/queues"
require_relative "worker/reconciliation"
require_relative "worker/report"
require_relative "worker/runs"
require_relative "worker/suspect_intake"
require_relative "worker/upkeep"

module Raffia
  module Jobs
    # Does jobs: claims as many as it has room for, each in a fiber of its own, and says to the
    # store what came of them.
    #
    #     worker = Raffia::Jobs::Worker.new(queues: ["mail,3", "low,1"], concurrency: 100).start
    #     ...
    #     worker.stop
    class Worker
      # How many jobs at a time when nothing is said.
      CONCURRENCY = 50
      # Seconds that jobs have to end when the worker is told to.
      TIMEOUT = 25
      # Processes beside a worker in which suspects run, at most.
      ISOLATED = 4
      # Seconds without a heartbeat after which a process for suspects is replaced.
      HANG_TIMEOUT = 60
      # How many threads, of those places that have some.
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
      # @param lease [Numeric] seconds without a sign of life after which others take over
      # @param beat [Numeric] seconds between two signs of life, which is how long an order may
      #   take; by default a third of the lease
      # @param recover [Numeric] seconds between two looks for workers that died; by default a third
      #   of the lease
      # @param middleware [Middleware]
      # @param heart [#beat, nil] is told that the loop turns, such as a supervisor's seat
      # @param log [Logger, nil]
      # @param instrument [Instrument] gets job_start, job_done, job_fail
      # @param tag [String] for people: of the application
      # @param labels [Array<String>] for people
      # @param backend [Symbol, nil] as {Raffia.run} takes it
      # @param wait [Boolean] whether it waits for a store that is away when it starts, instead of
      #   raising
      # @param heartbeat [Symbol] when the heart beats: while there is any :progress, or while the
      #   :loop turns. A job that computes or blocks in a fiber keeps the loop from turning
      # @param hang_timeout [Numeric, nil] seconds without a heartbeat after which a process in
      #   which suspects run is killed; nil: never
      # @param monitored [Boolean] whether a small process beside this one renews the lease when
      #   this one cannot, see {LeaseMonitor}
      # @param isolated [Boolean] whether it runs only suspects, and ends when there are none left,
      #   see {Store::Death}
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
        @timeout = Pool::Check.seconds(:timeout, timeout) || timeout
        @sizes = {fibers: concurrency, threads: threads || [THREADS, concurrency].min,
                  processes: processes || Pool::Cpus.count, ractors: ractors || Pool::Cpus.count}
        @sizes.each { |name, size| count(name, size) }
        @lease = lease
        @beat = beat
        @recover = recover
        @middleware = middleware
        @heart = heart
        @log = log || Log.build(Raffia.config)
        @instrument = instrument
        @about = {"tag" => tag, "labels" => labels}
        @backend = backend
        @wait = wait
        @lenient = heartbeat == :progress
        @hang_timeout = Pool::Check.seconds(:hang_timeout, hang_timeout) || hang_timeout
        @monitored = monitored && LeaseMonitor.possible?(store)
        @isolated = isolated
        @copied = {queues: queues, threads: threads, processes: processes, ractors: ractors,
                   timeout: timeout, lease: lease, beat: beat, recover: recover,
                   middleware: middleware, log: log, instrument: instrument, tag: tag,
                   labels: labels, backend: backend, heartbeat: heartbeat}
        @meter = Meter.new((heart.board if heart.respond_to?(:board)), concurrency)
        @orders = ::Thread::Queue.new
        @stopping = @quiet = false
        @keeper = @watch = @lookout = @monitoring = nil
      end

      # Works until {stop}, in a scheduler of its own.
      # @yield when it is enrolled, before it claims anything; with `wait` also when it has begun to
      #   wait for the store
      # @return [void]
      # @raise [StoreUnavailable] when the store cannot be reached at the start, unless it is to
      #   `wait`; later, the worker waits for it
      def run(&)
        embedded = Fiber.scheduler
        # as for the main thread of any program: what jobs have left running hears of it
        stop = SignalException.new("TERM")
        Raffia.run(backend: @backend) do |scope|
          work(scope, &)
          raise stop unless embedded || Drain.alone?
        end
      rescue SignalException => signal
        raise unless signal.equal?(stop)
      end

      # Works in a thread of this process.
      # @return [Handle] when it is enrolled
      # @raise [StoreUnavailable]
      def start = Handle.new(self)

      # The first time the jobs that have begun may end, for at most {timeout}; the second time they
      # are interrupted. Any thread may ask, and so may a trap.
      # @return [void]
      def stop
        @orders.push(@stopping ? :now : :drain)
        @stopping ? @monitoring&.interrupt : @monitoring&.drain
        @stopping = true
        @keeper&.give_up(@timeout + 2 * Drain::GRACE)
        nil
      end

      # Begins no more jobs, and waits to be stopped. Any thread may ask, and so may a trap.
      # @return [void]
      def quiet
        @orders.push(:quiet)
        nil
      end

      # @return [Boolean]
      def stopping? = @stopping

      # @return [Boolean]
      def quiet? = @quiet || @stopping

      # Tells a job that runs here to end, and ends it where that can be done: in a fiber where it
      # waits, in a process at once.
      # @param jid [String]
      # @return [Symbol, false] :interrupted, :killed, :told (the job must ask for it itself);
      #   false: it does not run here
      def cancel(jid)
        run = @runs&.find(jid) or return false
        how = run.interrupt(:cancelled)
        @log.warn({event: "cancel", jid: jid, on: run.on, how: how,
          **((how == :told) ?
            {why: "on #{run.on} nothing is interrupted: the job must ask stopping?"} : {})})
        how
      end

      # @return [Hash{String => Hash}] of classes with `on: :auto`: "on" and "why"
      def account = @places&.account || {}

      # @return [Hash] how it is
      def state
        {"busy" => @runs.size, "quiet" => quiet?, "rss" => (Process::Memory.resident.to_i / 1024),
         "work" => @runs.work}
      end

      # @return [Hash{Symbol => Integer, Array<Integer>}] what it has done, see {Meter.read}
      # @api private
      def figures
        measure
        Meter.read([@meter.board], [::Process.pid])
      end

      # Asks the store.
      # @return [Hash] {"store", "error" (nil: it can be written), "counts", "queues"}
      # @api private
      def report = Report.new(@store, @keeper&.trouble || @patience&.trouble).to_h

      # The same, in a thread: a store that is away takes its time. While one is made no other is
      # begun.
      # @yieldparam report [Hash]
      # @return [void]
      # @api private
      def report_later
        return unless @reported.nil? || @reported.done?

        @reports ||= Pool.new(on: :threads, workers: 1, idle: nil)
        @reported = @reports.submit { yield report }
      end

      private

      def measure
        @book && @runs && @meter.write(@book.totals, @runs.size, @monitoring&.isolated || [])
      end

      def work(scope)
        @monitoring = monitoring if @monitored
        Setup.current.at_start.each { |hook| hook.call(self, @log) }
        build(scope)
        helpers = [scope.spawn { @pulse.run }]
        enrollment = Enrollment.new(@patience, @orders, wait: @wait) { yield if block_given? }
        enrollment.call(self) { enroll } or return
        helpers.concat(hire(scope))
        sidecars = Raffia::Run::Sidecars.new(Setup.current.actors, @log).begin(scope) { stop }
        enrollment.tell
        seats = [scope.spawn { @intake.run }]
        await_stop
        @intake.close
        seats.each(&:join)
        @places.announce_stop
        @runs.on_end { @orders.push(:ended) }
        Drain.new(@runs, @acks, @log).call(@timeout) { |seconds| @orders.pop(timeout: seconds) }
        sidecars.stop(@timeout)
      ensure
        helpers&.each { |task| task.cancel(:stop) }
        @reports&.terminate
        Raffia.shield { leave }
      end

      # First of all, while there is little in this process that a fork could harm.
      def monitoring
        Monitoring.new(@concurrency, @log, store: @store, heart: @heart, lenient: @lenient,
          isolation: {make: (method(:isolated_worker) unless @isolated),
                      hang_timeout: @hang_timeout, patience: @timeout + 3 * Drain::GRACE})
      end

      # @param parent [LeaseMonitor::Isolation::Parent]
      def isolated_worker(parent)
        Worker.new(@store, **@copied, concurrency: 1, heart: parent, isolated: true)
      end

      def build(scope)
        journal = Journal.new(@log, @instrument)
        @patience = Patience.new(@log)
        @book = journal.book
        @pulse = Pulse.new(@heart, @log, lenient: @lenient, board: @monitoring&.board) { measure }
        @keeper = Keeper.new(@store, info, ttl: @lease, every: @beat, book: journal.book, log: @log,
          identity: @monitoring&.identity || Keeper.identity, board: @monitoring&.board)
        @acks = Acks.new(@store, @keeper, @patience, journal)
        @places = Places.new(@store, @middleware, @sizes, @log, @monitoring&.board)
        @runs = Runs.new(scope, @concurrency,
          Desk.new(worker: self, store: @store, places: @places, acks: @acks, keeper: @keeper,
            patience: @patience, journal: journal, middleware: @middleware,
            board: @monitoring&.board))
        @upkeep = Upkeep.new(@store, Recurring::Ticker.new(recurring, @log), @patience, @log,
          recover: @recover, keeper: @keeper) { run_suspects }
        @intake = intake(@store, @queues, @keeper, @runs, @patience, @upkeep)
        @keeper.on_beat(&Reconciliation.new(@store, @log, @runs, @acks, @intake).method(:call))
      end

      def intake(*parts)
        @isolated ? SuspectIntake.new(*parts, parent: @heart) { stop } : Intake.new(*parts) { stop }
      end

      # In processes of their own; where there are none, here, when nothing else runs.
      def run_suspects
        monitored = @monitoring&.look
        return unless @store.suspects?(@queues.names)

        monitored ? @monitoring.isolate : @intake.run_suspects
      end

      def enroll
        @keeper.enroll
        bring_recurring unless @isolated
      end

      def hire(scope)
        keep_lease
        [@acks, *(@upkeep.chores unless @isolated)].map { |helper| scope.spawn { helper.run } }
      end

      # What goes wrong with that ends the worker.
      def keep_lease
        @lookout = Process::Lookout.new(Pulse::INTERVAL) { @pulse.look }
        @watch = Pool.new(on: :threads, workers: 1, idle: nil)
        @watch.submit do
          @keeper.run(method(:state)) { |order| obey(order) }
        rescue => error
          @orders.push(error)
        end
      end

      def recurring = Recurring::Book.new(Client.new(@store, Setup.current.client_middleware))

      def bring_recurring = recurring.replace_code(Setup.current.recurring)

      def await_stop
        while (order = @orders.pop) == :quiet
          @quiet = true
          @log.warn({event: "quiet", why: "begins no more jobs"})
          @intake.close
        end
        raise order if order.is_a?(Exception)
      end

      def obey(order)
        case order
        when "quiet" then quiet
        when "stop" then stop
        when "dump" then Raffia.dump
        when /\Acancel (\S+)/ then cancel($1)
        when /\Atrace (\S+)/ then trace($1)
        else @log.warn({event: "unknown order", order: order})
        end
      end

      # Who asks does not want to wait for the next sign of life.
      def trace(jid)
        @runs.find(jid)&.trace
        @keeper.hurry
      end

      def leave
        resign if @keeper&.lease
        @monitoring&.close(@timeout + 4 * Drain::GRACE)
        measure # suspects may have ended later than all else
      end

      def resign
        @keeper.close
        @watch&.shutdown(Drain::GRACE)
        @lookout&.close
        @keeper.resign
        @places.close
        measure
      end

      def info
        {**@about, "hostname" => Socket.gethostname, "pid" => ::Process.pid,
                   "queues" => @queues.names, "weights" => @queues.weights,
                   "concurrency" => @concurrency, "version" => VERSION,
                   "started_at" => Time.now.to_f}
      end

      def count(name, value)
        Pool::Check.count(name, value)
        value || raise(ConfigError, "#{name}: nil is not a count: give a whole number from 1 up")
      end
    end
  end
end
