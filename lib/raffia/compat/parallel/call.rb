# frozen_string_literal: true

require_relative "coordinator"
require_relative "worker_slots"
require_relative "item_feed"

module Raffia
  module Compat
    module Parallel
      # A call with workers: Raffia's threads and slots under a coordinator with the gem's
      # behaviour.
      #
      # @api private
      class Call
        # Seconds of work in a chunk of items that go to a process together.
        TARGET = Executor::Processes.granularity
        private_constant :TARGET

        def initialize(request)
          @request = request
          sizer = Pool::ChunkSize.new(single? ? 1 : nil, target: TARGET)
          @coordinator = Coordinator.new(request, feed(sizer), sizer)
          @slots = WorkerSlots.new(request, sizer, @coordinator)
        end

        def call
          signal = @request.interrupt_signal or return work
          Signals.share(signal.to_s.delete_prefix("SIG"),
            ->(_) { @coordinator.interrupt(signal) }) do
            work
          end
        end

        private

        def work
          workers = @request.workers
          group = Executor::Threads::WorkerGroup.new(@coordinator, workers, &@slots)
          @coordinator.run(group, workers)
          @coordinator.value
        rescue Interrupt => interrupt
          raise Pool::InterruptBacktrace.trim(interrupt)
        end

        # Chunks have several items only where the program cannot notice: in processes, without
        # hooks.
        def single?
          @request.executor != :processes || @request.hooks.any? || @request.isolation? ||
            !@request.producer.nil?
        end

        # A forked worker has the items already and gets their indexes; others get the items.
        def feed(sizer)
          return ItemFeed.new(@request) if @request.producer || @request.executor != :processes

          Pool::IndexedFeed.new(Pool::Input.of(0...@request.items.size), sizer, @request.workers)
        end
      end
    end
  end
end
