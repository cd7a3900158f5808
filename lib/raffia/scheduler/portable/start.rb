# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # A fiber that has just started another one, and resumes when that one waits for the first
      # time. It removes the entry itself when it resumes. The entry of a fiber that raised in
      # another one is removed by the switch (see {Switch#restore_running}).
      #
      # @api private
      class Start
        # `running`: the scheduler's fiber in which it runs, or nil.
        attr_reader :fiber, :running

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
