# frozen_string_literal: true

module Raffia
  # One run of {Raffia.run} from its beginning to its end: the composition root, where scheduler,
  # offload pool and scope meet.
  #
  # What breaks into the loop (a signal, Thread#raise, the error of a fiber that nobody owns) is
  # raised in the block, where it waits: there it can be rescued, or end the scope and its tasks.
  # When it has ended the block, fibers outside of the scope get it too. One that comes while all
  # this cleans up ends the run at once, and so does a signal soon after the last one.
  #
  # @api private
  class Session
    # Seconds. Whether a block that was interrupted is still cleaning up, or has rescued the
    # interrupt and goes on, cannot be seen from here when it does so in scopes of its own. Who
    # presses Ctrl-C twice means it.
    IMPATIENCE = 5
    KEY = :raffia_session
    private_constant :IMPATIENCE, :KEY

    # @return [Session, nil] the one whose loop the running fiber is in
    def self.current
      session = Thread.current.thread_variable_get(KEY)
      session if session&.scheduler&.equal?(Fiber.current_scheduler)
    end

    # @return [Scheduler]
    attr_reader :scheduler

    def initialize(backend: nil, dump_on: nil, deadlock: nil)
      config = Raffia.config
      @dump_on = dump_on ? Config.signal(dump_on.to_s) : config.dump_signal
      @deadlock = choose(deadlock || config.deadlock)
      @pools = ThreadPools.new(config.blocking_threads)
      @scheduler = Scheduler.new(backend: backend, offload: threads(:calls),
        blocking: threads(:blocks),
        operations: (@pools if threads?), deadlock: (method(:stuck) unless @deadlock == :off))
      @work = @scope = @interrupt = nil
      @farewells = []
    end

    # Calls the block when the run's own block and its tasks have ended, and the loop still runs: to
    # end what lives in the loop without being a task. It may wait, unless the thread is being
    # killed.
    # @yieldparam killed [Boolean]
    # @return [void]
    def at_end(&block) = @farewells << block

    # @return [Integer] what lives in the loop like that: a fiber each, which waits for as long as
    #   there is a loop
    def residents = @farewells.size

    def run(&block)
      return keep(&block) if @dump_on.nil? || @dump_on == :off

      Signals.share(@dump_on, ->(_) { dump }) { keep(&block) }
    end

    private

    # In a trap handler. The code that it has interrupted may be writing to stderr, and holds that
    # IO's lock. Nor must it find an error of ours.
    def dump
      err = $stderr.is_a?(IO) ? IO.for_fd($stderr.fileno, "w", autoclose: false) : $stderr
      Raffia.dump(err)
      err.flush
    rescue => error
      err&.write("raffia: no dump, because of #{error.full_message(highlight: false)}\n")
    end

    def keep(&block)
      Fiber.set_scheduler(@scheduler)
      Thread.current.thread_variable_set(KEY, self)
      turn { Fiber.schedule { attempt(&block) } }
      turn until @scheduler.idle? || @scheduler.closed?
      @over = true
      raise explained(@error) if @error
      @value
    ensure
      finish
    end

    # Ruby only says that the jump was not expected.
    def explained(error)
      return error unless error.is_a?(LocalJumpError) && %i[return break].include?(error.reason)

      error.exception("#{error.message}: the blocks of Raffia.run and of tasks run in fibers of " \
      "their own, which #{error.reason} cannot " \
        "leave. End the block with `next value`, and return what Raffia.run or Task#value returns")
    end

    def choose(deadlock)
      Config::DEADLOCKS.find { |known| known.name == deadlock.to_s } or
        raise ConfigError, "deadlock: #{deadlock.inspect} means nothing here: use one of " \
          "#{Config::DEADLOCKS.join(", ")}"
    end

    # A handler of signals may be what everybody waits for, so it is no deadlock for certain where
    # the program has one.
    # @return [Boolean, nil] whether to go on looking
    def stuck(parked)
      handled = Signals.handled?
      return if handled && @deadlock == :raise

      report = Report.new(Snapshot.new([@scheduler], parked: parked)).fibers
      text = "nothing can ever wake " \
      "#{(parked.size == 1) ? "this fiber" : "these #{parked.size} fibers"} again" \
        "#{", unless a signal handler does" if handled}:\n#{report}"
      return $stderr.write("raffia: #{text}\n") && nil if @deadlock == :report

      pass_on(Deadlock.new(text, parked: parked))
      true
    end

    def attempt(&block)
      @work = Fiber.current
      @value = within_time { Scope.open { |scope| call(@scope = scope, &block) } }
    rescue Exception => error # standard:disable Lint/RescueException
      @error = error
      @scheduler.interrupt_all(error) if @interrupt
    ensure
      say_farewell
    end

    # Each of them, whatever becomes of the others.
    def say_farewell
      until @farewells.empty?
        begin
          @farewells.pop.call(Thread.current.status == "aborting")
        rescue Exception => error # standard:disable Lint/RescueException
          @error ||= error
        end
      end
    end

    def call(scope)
      yield scope
    rescue SignalException => signal
      # One that came while the block was running did not break into the loop; and an earlier one is
      # over.
      @interrupt = signal
      @interrupted_at = Clock.now
      raise
    end

    # The caller's deadline is kept by its thread, which can only break into the loop; in here it
    # has to be kept by the loop, for the block as for the tasks, or these would end first and leave
    # the block to think that they are done.
    def within_time(&)
      deadline = Raffia.deadline
      deadline ? deadline.enforce(&) : yield
    end

    def turn
      yield if block_given?
      @scheduler.run
    rescue Exception => interrupt # standard:disable Lint/RescueException
      # The very one that was passed on comes back from each fiber that it has ended.
      pass_on(interrupt) unless interrupt.equal?(@interrupt) || joined?(interrupt)
    end

    # Thread.abort_on_exception raises a thread's error here, too. Where the block waits for that
    # thread, Thread#join raises it.
    def joined?(error)
      return false if error.is_a?(SignalException) || !@work&.alive?

      thread = @scheduler.parked(frames: 0).find { |one| one.owner.equal?(@work) }&.subject
      thread.is_a?(Thread) && thread.status.nil? && raised?(error) { thread.join }
    end

    # The thread has ended, so nothing waits here; but Thread#join would ask the scheduler.
    def raised?(error)
      Fiber.blocking { yield }
      false
    rescue Exception => raised # standard:disable Lint/RescueException
      raised.equal?(error)
    end

    def pass_on(interrupt)
      if @interrupt &&
          (cleaning? ||
            (interrupt.is_a?(SignalException) && Clock.now < @interrupted_at + IMPATIENCE))
        give_up(interrupt)
      end

      @interrupt = interrupt
      @interrupted_at = Clock.now
      return @scheduler.fiber_interrupt(@work, interrupt) if @work&.alive?

      @error ||= interrupt
      @scheduler.interrupt_all(interrupt)
    end

    def cleaning? = !@work&.alive? || @scope&.cancelled?

    def give_up(interrupt)
      @scheduler.terminate
      raise interrupt
    end

    # What users offload may take as long as it likes, and must not keep core from opening a file;
    # so each kind has threads of its own. They are started only when something blocks.
    def threads(kind)
      return ->(&call) { Fiber.blocking { call.call } } unless threads?

      ->(&call) { @pools.run(kind, &call) }
    end

    # Before Ruby 4.0 threads in several Ractors hang (docs/ractors.md): there a call that blocks
    # had better block.
    def threads? = RactorLocal.main? || RUBY_VERSION >= "4"

    def finish
      wind_up unless @over || @scheduler.closed?
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(@scheduler)
      Thread.current.thread_variable_set(KEY, nil)
    ensure
      # What blocks may do so for ever; whoever interrupts twice does not want to wait for it.
      @pools.shutdown(@over ? nil : 0)
    end

    # Thread#kill is nothing that could be rescued, but it can be passed on in other words.
    def wind_up
      @interrupt = nil
      pass_on(Cancel.new(:killed))
      turn until @scheduler.idle? || @scheduler.closed?
      @over = true
    end
  end
end
