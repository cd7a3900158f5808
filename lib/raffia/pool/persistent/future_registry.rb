# frozen_string_literal: true

require_relative "../future"

module Raffia
  class Pool
    module Persistent
      # Makes a pool's futures, counts them, and knows those that have not ended.
      class FutureRegistry
        def initialize(coordinator, guard, counts)
          @coordinator = coordinator
          @guard = guard
          @counts = counts
          @open = {}.compare_by_identity
        end

        # @yieldreturn [Boolean] under the guard: whether the pool takes one more
        def add(arguments, work)
          @guard.hold do
            next unless yield

            future = Future.new(@coordinator, @counts[:submitted], arguments, work)
            @counts[:submitted] += 1
            @open[future] = true
            future
          end
        end

        # A future has ended. Under the guard.
        def remove(future)
          @open.delete(future)
          @counts[future.status] += 1
        end

        # The queue was full.
        def reject(future)
          @guard.hold do
            @open.delete(future)
            @counts[:rejected] += 1
          end
        end

        # None of them will come to an end any more.
        def cut_off(reason) = @guard.hold { @open.keys }.each { |future| future.cut_off(reason) }
      end
    end
  end
end
