# frozen_string_literal: true

module Raffia
  class Actor
    # Fiber loop of actors and their timers, and the executor of those on :fibers.
    #
    # Actors that are spawned inside of {Raffia.run} live in its loop and end with it. All others
    # live in the {BackgroundLoop}. A call from the loop itself begins a fiber at once, without a
    # turn of the loop (docs/adr/0024).
    #
    # @api private
    class ActorLoop < ActorGroup
      KEY = :raffia_actor_loop
      private_constant :KEY

      class << self
        def here
          scheduler = Fiber.current_scheduler or return
          group = Thread.current.thread_variable_get(KEY)
          return group if group&.serves?(scheduler)

          Run::Session.current&.then { |session| attach(scheduler, session) }
        end

        private

        def attach(scheduler, session)
          group = new(scheduler)
          Thread.current.thread_variable_set(KEY, group)
          session.at_end { |killed| killed ? group.abandon : group.close }
          group
        end
      end

      def initialize(scheduler)
        super()
        @scheduler = scheduler
        @thread = Thread.current
        @orders = []
        IntrospectionSocket.open_on_request
        start
      end

      def serves?(scheduler) = @scheduler.equal?(scheduler) && !@closed

      # Whether the running code is a fiber of this loop.
      def here? = @thread.equal?(Thread.current) && @scheduler.equal?(Fiber.current_scheduler)

      # Runs the block in a fiber of this loop, in its turn. Any thread may call this.
      def later(&block)
        waiter = @lock.hold do
          raise Closed, "the loop of these actors has ended" if @closed

          @orders << block
          @waiter
        end
        waiter&.settle
      end

      # Runs the block in a fiber of this loop at once, up to its first wait; from another thread,
      # in its turn.
      def now(&block) = here? ? launch(&block) : later(&block)

      def alarm = Alarm.of(@scheduler)

      def wait_for_close
        @close_waiter = Waiter.new
        @close_waiter.wait unless @closed
      end

      def fibers = self

      def dispatch(execution, awaited) = awaited ? now { execution.work } : later { execution.work }

      def go_on(execution) = later { execution.work }

      def run(&block)
        return yield if here?

        Future.new.tap { |future| later { future.attempt(&block) } }.value
      end

      alias_method :reenter, :now

      def enter(core, &) = CancellationStack.enter(core, &)

      def expose(_scope) = yield

      def build(factory, core) = factory.build(core)

      private

      def launch(&block)
        @scheduler.respond_to?(:launch) ? @scheduler.launch(&block) : Fiber.schedule(&block)
      end

      # The fiber that takes orders of other threads. Fiber storage is inherited, and this fiber
      # serves others than the one that starts it.
      def start
        Fiber.schedule { Deadline.replace(nil) { serve } }
      end

      def serve
        Message.clear_current
        serve_orders until @closed
      rescue Exception => error # standard:disable Lint/RescueException
        # The run is ending, but its actors live until they have been ended.
        start unless @closed
        raise error if error.is_a?(::SignalException)
      end

      def serve_orders
        @waiter = Waiter.new
        @waiter.wait if @orders.empty?
        while (order = @orders.shift)
          launch(&order)
        end
      end

      def leave
        super
        @waiter&.settle
        @close_waiter&.settle
      end
    end
  end
end
