# frozen_string_literal: true

require_relative "../worker_loop"

module Raffia
  module Executor
    module Fibers
      # Worker loops in fibers of the running scheduler, as tasks of one scope: the scope ends after
      # them, and cancels them when the caller is interrupted.
      class WorkerGroup
        def initialize(coordinator, capacity, &slots)
          @coordinator = coordinator
          @capacity = capacity
          @slots = slots
          @tasks = []
        end

        def size = @tasks.size

        def open
          Scope.open do |scope|
            @scope = scope
            yield
            @tasks.each { |task| task.cancel(:pool_stopped) }
          end
        end

        def join = nil

        def start(count) = count.times { add }

        def grow(feed)
          add if size < @capacity && feed.crowded?
        end

        private

        def add
          @tasks << @scope.spawn { WorkerLoop.run(@coordinator, @slots, &:call) }
        end
      end
    end
  end
end
