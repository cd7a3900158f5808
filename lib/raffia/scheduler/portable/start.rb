# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable < Scheduler
      # A fiber that has just started another one, and goes on when that one waits for the first
      # time. It says so itself when it has taken notice, unless the other one was not started but
      # struck (see {Switch#give_back}).
      #
      # @api private
      class Start
        # @return [Fiber]
        attr_reader :fiber
        # @return [Fiber, nil] the scheduler's fiber in which it runs
        attr_reader :running

        def initialize(fiber, running, once: false)
          @fiber = fiber
          @running = running
          @once = once
        end

        def once? = @once
      end
    end
  end
end
