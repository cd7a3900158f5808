# frozen_string_literal: true

require_relative "../worker_slot"

module Raffia
  class Pool
    class Auto
      # Finds out with a few items whether waits let other fibers go on. A library that knows no
      # Fiber scheduler stops the whole thread.
      class FiberTrial
        ENOUGH = 8
        # Factor by which they must be faster than one after the other.
        FASTER = 1.5

        def initialize(per_item)
          @per_item = per_item
          @at_once = @most = @done = 0
          @started = @passed = nil
        end

        attr_reader :done

        def failed? = @passed == false
        def open? = !failed?

        def watch
          @started ||= Clock.now
          @at_once += 1
          @most = @at_once if @at_once > @most
          yield
        ensure
          @at_once -= 1
          @done += 1
          judge if @passed.nil?
        end

        private

        def judge
          return @passed = false if @most == 1
          return if @done < ENOUGH

          @passed = (Clock.now - @started) * FASTER < @per_item * @done
        end
      end
    end
  end
end
