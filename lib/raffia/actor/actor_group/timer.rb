# frozen_string_literal: true

module Raffia
  class Actor
    class ActorGroup
      # Calls a block later, once or repeatedly, by the alarm of its group's loop. The block returns
      # after how many seconds it is called again, or nil.
      class Timer
        def initialize(group, call, at_end = nil)
          @group = group
          @call = call
          @at_end = at_end
          @cancelled = @over = false
        end

        def arm(seconds)
          at = Clock.now + seconds
          @group.now { start(at) }
        end

        # Any thread may call this.
        def cancel
          return if @cancelled

          @cancelled = true
          @at_end&.call(self)
          @group.now { @alarm.disarm(@entry) if @entry } unless @over || @group.closed?
        rescue Closed
          nil
        end

        def cancelled? = @cancelled

        def over? = @over || @cancelled

        private

        # Runs in the group's loop.
        def start(at)
          return if @cancelled

          @alarm = @group.alarm
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
