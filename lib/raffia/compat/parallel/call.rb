# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "coordinator"
require_relative "worker_slots"
require_relative "item_feed"

module Raffia
  module Compat
    module Parallel
      # A call with workers: Raffia's threads and slots, under a coordinator that does as the gem.
      #
      # @api private
      class Call
        # Seconds of work in a chunk of items that go to a process together; as Raffia's own.
        TARGET = Executor::Processes.granularity
        private_constant :TARGET

        # @param request [Request]
        def initialize(request)
          @request = request
          sizer = Pool::ChunkSize.new(single? ? 1 : nil, target: TARGET)
          @coordinator = Coordinator.new(request, feed(sizer), sizer)
          @slots = WorkerSlots.new(request, sizer, @coordinator)
        end

        # @return [Object] the value of the call
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

        # Items go together only where nobody can tell the difference: in processes, without hooks.
        def single?
          @request.place != :processes || @request.hooks.any? || @request.isolation? ||
            !@request.producer.nil?
        end

        # A forked worker has the items already; others are given them.
        def feed(sizer)
          return ItemFeed.new(@request) if @request.producer || @request.place != :processes

          Pool::IndexedFeed.new(Pool::Input.of(0...@request.items.size), sizer, @request.workers)
        end
      end
    end
  end
end
