# frozen_string_literal: true

require_relative "config"
require_relative "deadlock_policy"
require_relative "interrupt_dispatcher"
require_relative "thread_pools"

module Raffia
  module Run
    # One call of {Raffia.run}: makes scheduler, thread pools and scope, and runs the loop.
    #
    # An interrupt of the loop is raised in the block, where it waits: there it can be rescued, or
    # end the scope and its tasks (see {InterruptDispatcher}). When it has ended the block, fibers
    # outside of the scope get it too.
    #
    # @api private
    class Session
      KEY = :raffia_session
      private_constant :KEY

      # The session whose loop the running fiber is in.
      def self.current
        session = Thread.current.thread_variable_get(KEY)
        session if session&.scheduler&.equal?(Fiber.current_scheduler)
      end

      attr_reader :scheduler

      def initialize(backend: nil, dump_on: nil, deadlock: nil)
        config = Config.load
        @dump_on = dump_on ? Config.signal(dump_on.to_s) : config.dump_signal
        @deadlocks = DeadlockPolicy.new(deadlock || config.deadlock)
        @pools = ThreadPools.new(Engine::Config.load.blocking_threads)
        @scheduler = new_scheduler(backend)
        @interrupts = InterruptDispatcher.new(@scheduler)
        @exit_callbacks = []
        @scope = nil
      end

      # Calls the block at the end of the run, while the loop still runs: to end what lives in the
      # loop without being a task. It may wait, unless the thread is being killed, which is its
      # argument.
      def at_end(&block) = @exit_callbacks << block

      # Fibers that live in the loop like that, and wait for as long as it runs.
      def residents = @exit_callbacks.size

      def run(&block)
        return run_loop(&block) if @dump_on.nil? || @dump_on == :off

        Signals.share(@dump_on, ->(_) { dump }) { run_loop(&block) }
      end

      private

      def new_scheduler(backend)
        handler = (method(:handle_deadlock) unless @deadlocks.off?)
        Scheduler.new(backend: backend, offload: offload(:calls), blocking: offload(:blocks),
          operations: (@pools if threads?), deadlock: handler)
      end

      # Users' calls may take long, and must not keep core from opening a file.
      def offload(kind)
        return ->(&call) { Fiber.blocking { call.call } } unless threads?

        ->(&call) { @pools.run(kind, &call) }
      end

      # Before Ruby 4.0 threads in several Ractors hang (docs/ractors.md).
      def threads? = RactorLocal.main? || RUBY_VERSION >= "4"

      # Runs in a trap handler. The interrupted code may hold the lock of stderr, and must not get
      # an error of ours.
      def dump
        err = $stderr.is_a?(IO) ? IO.for_fd($stderr.fileno, "w", autoclose: false) : $stderr
        Raffia.dump(err)
        err.flush
      rescue => error
        err&.write("raffia: no dump, because of #{error.full_message(highlight: false)}\n")
      end

      def run_loop(&block)
        Fiber.set_scheduler(@scheduler)
        Thread.current.thread_variable_set(KEY, self)
        turn { Fiber.schedule { run_block(&block) } }
        turn_until_idle
        raise explain(@error) if @error
        @value
      ensure
        finish
      end

      def turn
        yield if block_given?
        @scheduler.run
      rescue Exception => error # standard:disable Lint/RescueException
        pass_on(error) if @interrupts.new?(error)
      end

      def turn_until_idle
        turn until @scheduler.idle? || @scheduler.closed?
        @over = true
      end

      def run_block(&block)
        @interrupts.fiber = Fiber.current
        @value = within_deadline { Scope.open { |scope| call(@scope = scope, &block) } }
      rescue Exception => error # standard:disable Lint/RescueException
        @error = error
        @scheduler.interrupt_all(error) if @interrupts.interrupt
      ensure
        run_exit_callbacks
      end

      # A signal that comes while the block is running does not break into the loop.
      def call(scope)
        yield scope
      rescue SignalException => signal
        @interrupts.note(signal)
        raise
      end

      # The caller's thread keeps its deadline, and can only break into the loop. Here the loop has
      # to keep it, for the block as for the tasks: else the tasks would end first, and the block
      # believe that they are done.
      def within_deadline(&)
        deadline = Raffia.deadline
        deadline ? deadline.enforce(&) : yield
      end

      # All of them, also after an error of one.
      def run_exit_callbacks
        until @exit_callbacks.empty?
          begin
            @exit_callbacks.pop.call(Thread.current.status == "aborting")
          rescue Exception => error # standard:disable Lint/RescueException
            @error ||= error
          end
        end
      end

      def pass_on(interrupt)
        lost = @interrupts.pass_on(interrupt, @scope&.cancelled?)
        @error ||= lost
      end

      def handle_deadlock(parked)
        @deadlocks.call(@scheduler, parked) { |deadlock| pass_on(deadlock) }
      end

      # Ruby only says that the jump was not expected.
      def explain(error)
        return error unless error.is_a?(LocalJumpError) && %i[return break].include?(error.reason)

        error.exception("#{error.message}: the blocks of Raffia.run and of tasks run in fibers " \
          "of their own, which #{error.reason} cannot leave. End the block with `next value`, " \
          "and return what Raffia.run or Task#value returns")
      end

      def finish
        cancel_all unless @over || @scheduler.closed?
        Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(@scheduler)
        Thread.current.thread_variable_set(KEY, nil)
      ensure
        # A call on a thread may block for ever; a second interrupt does not wait for it.
        @pools.shutdown(@over ? nil : 0)
      end

      # Thread#kill cannot be rescued, but the fibers can be cancelled.
      def cancel_all
        @interrupts.forget
        pass_on(Cancel.new(:killed))
        turn_until_idle
      end
    end
  end
end
