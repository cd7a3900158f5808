# frozen_string_literal: true

module Raffia
  class Actor
    class Host
      # Something that is to be called later, and maybe again and again. It is kept by the alarm of
      # its host.
      #
      # @api private
      class Timer
        # @param host [Host]
        # @param call [#call] returns how many seconds later it is to be called again, or nil
        # @param at_end [#call, nil] is told when it will not be called any more
        def initialize(host, call, at_end = nil)
          @host = host
          @call = call
          @at_end = at_end
          @cancelled = @over = false
        end

        # @param seconds [Numeric]
        # @return [void]
        def arm(seconds)
          at = Clock.now + seconds
          @host.now { start(at) }
        end

        # Not any more. Any thread may ask.
        # @return [void]
        def cancel
          return if @cancelled

          @cancelled = true
          @at_end&.call(self)
          @host.now { @alarm.disarm(@entry) if @entry } unless @over || @host.closed?
        rescue Closed
          nil
        end

        # @return [Boolean]
        def cancelled? = @cancelled

        # @return [Boolean] whether it will not be called any more
        def over? = @over || @cancelled

        private

        # In the host's loop.
        def start(at)
          return if @cancelled

          @alarm = @host.alarm
          @entry = @alarm.arm(at, method(:fire))
        end

        def fire
          return if @cancelled

          seconds = @call.call
          return Clock.now + seconds if seconds && !@cancelled

          @over = true
          @at_end&.call(self)
          nil
        end
      end
    end
  end
end
