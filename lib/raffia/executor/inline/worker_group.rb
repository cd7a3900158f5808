# frozen_string_literal: true

require_relative "../worker_loop"

module Raffia
  module Executor
    module Inline
      # No workers: the caller drives. What comes out of the block (an exception, +break+, +throw+,
      # a timeout) needs no carrying.
      class WorkerGroup
        # @param coordinator [#feed] see {WorkerLoop}
        # @yieldreturn [#post, #collect] a slot
        def initialize(coordinator, _workers)
          @coordinator = coordinator
          @slot = yield
        end

        # @return [Integer] how many worker loops there are to wait for
        def size = 0
        def open = yield
        def join = nil
        def start(_count) = WorkerLoop.serve(@coordinator, @slot, wait: false)

        # Work off what waits.
        def grow(_feed) = start(1)
      end
    end
  end
end
