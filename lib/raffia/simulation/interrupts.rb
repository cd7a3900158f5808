# frozen_string_literal: true

module Raffia
  module Simulation
    # Exceptions that others raise in a simulated thread, and its masks of Thread.handle_interrupt.
    #
    # @api private
    class Interrupts
      # Thread#kill. Not an exception: no `rescue` may see it.
      KILL = Object.new.freeze

      class << self
        # For the timeline.
        def describe(error) = error.equal?(KILL) ? "kill" : error.class.name

        # The exception that arguments of Thread#raise stand for.
        def exception(error = nil, *arguments)
          case error
          when nil then ::RuntimeError.new("")
          when ::String then ::RuntimeError.new(error)
          else
            made = error.exception(*arguments.first(1))
            made.set_backtrace(arguments[1]) if arguments[1]
            made
          end
        end
      end

      def initialize(world, thread)
        @world = world
        @thread = thread
        @pending = []
        @masks = []
        @killed = false
      end

      # Whether the thread ends by a kill.
      def killed? = @killed

      def any? = !@pending.empty?

      # Whether one is pending, of the class if one is given.
      def pending?(kind = nil)
        kind ? @pending.any? { |error| of?(error, kind) } : any?
      end

      # Runs the block under a mask, as Thread.handle_interrupt.
      def mask(timings)
        @masks.push(timings)
        yield
      ensure
        @masks.pop
      end

      # Raises the exception in the thread: at once in the running one, else as {#post}.
      def raise(error)
        @thread.equal?(@world.running) ? strike(error) : post(error)
      end

      # Raises the exception at the thread's next point that its mask allows.
      def post(error)
        @pending << error
        @world.note(:interrupt, @thread, Interrupts.describe(error))
        return unless @thread.wait&.interruptible && next_index(true)

        @world.thread_scheduler.wake(@thread, :interrupted)
        nil
      end

      # Takes back an exception that has not struck.
      def remove(error) = @pending.delete_if { |other| other.equal?(error) }

      # Raises what others have raised in this thread, in it. +blocking+: in a call that waits.
      def deliver(blocking)
        return if @pending.empty?

        index = next_index(blocking) or return
        strike(@pending.delete_at(index))
      end

      private

      def next_index(blocking) = @pending.index { |error| strikes?(error, blocking) }

      def strikes?(error, blocking)
        case timing(error)
        when :never then false
        when :on_blocking then blocking
        else true
        end
      end

      def timing(error)
        @masks.reverse_each do |timings|
          timings.each { |kind, timing| return timing if of?(error, kind) }
        end
        :immediate
      end

      # Ruby masks a kill by Integer's ancestors.
      def of?(error, kind) = error.equal?(KILL) ? kind >= ::Integer : error.is_a?(kind)

      def strike(error)
        return ::Kernel.raise(error) unless error.equal?(KILL)

        @killed = true
        throw(KILL) if @thread.main_fiber.equal?(::Fiber.current)
        ::Fiber.current.kill
      end
    end
  end
end
