# frozen_string_literal: true

module Raffia
  module Simulation
    # Waits of one simulated thread for descriptors.
    #
    # @api private
    class ReadinessWait
      EVENTS = [::IO::READABLE, ::IO::WRITABLE, ::IO::PRIORITY].freeze
      private_constant :EVENTS

      def initialize(world)
        @world = world
        @thread_scheduler = world.thread_scheduler
      end

      # The same as the scheduler's hook.
      def io_wait(io, events, timeout)
        limit = timeout || io.timeout
        return @world.outside { io.wait(events, limit) } || false if @world.boundary.real?(io)

        @world.boundary.io(io)
        found = Interest.poll(io, events)
        return found if found.positive?
        return false if timeout&.zero?

        suspend([[io, events]], limit, io) || timed_out(timeout, limit)
      end

      # The same as IO.select.
      def select(lists, timeout)
        limit = timeout && Clock.now + timeout
        until (ready = Interest.select(lists))
          remaining = limit && limit - Clock.now
          return if remaining && remaining <= 0

          pairs = lists.zip(EVENTS).flat_map do |ios, event|
            ios.to_a.map { |io| [io.to_io, event] }
          end
          suspend(pairs, remaining, lists.flatten.compact)
        end
        ready
      end

      private

      # The events that came first; nil when the time was up.
      def suspend(pairs, limit, subject)
        found = nil
        thread = @world.running
        watches = pairs.map do |io, events|
          @world.interest.add(io, events) do |come|
            found = come
            @thread_scheduler.wake(thread, :woken)
          end
        end
        @thread_scheduler.suspend(:io, subject, limit)
        found
      ensure
        watches&.each { |watch| @world.interest.remove(watch) }
      end

      def timed_out(timeout, limit)
        return false if timeout || RUBY_VERSION >= "3.4"

        raise ::IO::TimeoutError, "not ready within the #{limit} s of IO#timeout"
      end
    end
  end
end
