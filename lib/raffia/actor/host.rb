# frozen_string_literal: true

module Raffia
  class Actor
    # A loop that actors live in: it runs what they do on fibers, and keeps their timers. Those that
    # are spawned inside of {Raffia.run} live in its loop, and end when that does; all others live
    # in one loop of the process's own, in a thread that the first of them starts.
    #
    # @api private
    class Host < Household
      KEY = :raffia_actor_host
      private_constant :KEY

      class << self
        # @return [Household] of the running code
        def current = here || background

        # @return [Host, nil] of the loop that the running fiber belongs to
        def here
          scheduler = Fiber.current_scheduler or return
          host = Thread.current.thread_variable_get(KEY)
          return host if host&.serves?(scheduler)

          Run::Session.current&.then { |session| found(scheduler, session) }
        end

        # @return [Household] the process's own
        def background = Background.current.host

        private

        def found(scheduler, session)
          host = new(scheduler)
          Thread.current.thread_variable_set(KEY, host)
          session.at_end { |killed| killed ? host.abandon : host.close }
          host
        end
      end

      # @return [Places::Fibers]
      attr_reader :fibers

      def initialize(scheduler)
        super()
        @scheduler = scheduler
        @thread = Thread.current
        @orders = []
        @fibers = Places::Fibers.new(self)
        start
      end

      # @return [Boolean]
      def serves?(scheduler) = @scheduler.equal?(scheduler) && !@closed

      # @return [Boolean] whether the running code is a fiber of this loop
      def here? = @thread.equal?(Thread.current) && @scheduler.equal?(Fiber.current_scheduler)

      # Runs the block in a fiber of this loop, in its turn. Any thread may ask.
      # @return [void]
      # @raise [Closed]
      def later(&block)
        waiter = @guard.hold do
          raise Closed, "the loop of these actors has ended" if @closed

          @orders << block
          @waiter
        end
        waiter&.settle
      end

      # Runs the block in a fiber of this loop at once, up to its first wait; in its turn, if this
      # is another thread.
      # @return [void]
      def now(&block) = here? ? launch(&block) : later(&block)

      # In the loop itself.
      # @return [Alarm]
      def alarm = Alarm.of(@scheduler)

      # Keeps a loop of its own running for as long as actors may live there.
      # @return [void]
      def stay
        @farewell = Waiter.new
        @farewell.wait unless @closed
      end

      private

      def launch(&block)
        @scheduler.respond_to?(:launch) ? @scheduler.launch(&block) : Fiber.schedule(&block)
      end

      # It waits for what other threads want. Fiber storage is inherited, and this fiber serves
      # others than the one that starts it.
      def start
        Fiber.schedule { Deadline.replace(nil) { serve } }
      end

      def serve
        Message.clear_current
        serve_orders until @closed
      rescue Exception => error # standard:disable Lint/RescueException
        # What ends the run has reached this fiber, but the actors live on until they have been
        # ended.
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
        @farewell&.settle
      end
    end
  end
end

require_relative "host/timer"
require_relative "host/clockwork"
require_relative "host/background"
