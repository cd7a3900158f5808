# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "desk"
require_relative "seats"
require_relative "turns"

module Raffia
  module Compat
    module Parallel
      # A call with workers: Raffia's crew of threads and its seats, and a desk that has the gem's
      # manners.
      #
      # @api private
      class Call
        # Seconds of work in a chunk of items that go to a process together; as Raffia's own.
        TARGET = Pool::Strategy::Processes.target
        private_constant :TARGET

        # @param request [Request]
        def initialize(request)
          @request = request
          sizer = Pool::ChunkSize.new(single? ? 1 : nil, target: TARGET)
          @desk = Desk.new(request, feed(sizer), sizer)
          @seats = Seats.new(request, sizer, @desk)
        end

        # @return [Object] the value of the call
        def call
          signal = @request.interrupt_signal or return work
          Signals.share(signal.to_s.delete_prefix("SIG"), ->(_) { @desk.interrupt(signal) }) do
            work
          end
        end

        private

        def work
          @desk.run(Pool::ThreadCrew.new(@desk, @request.workers, &@seats), @request.workers)
          @desk.value
        rescue Interrupt => interrupt
          raise Pool::CtrlC.plain(interrupt)
        end

        # Only where nobody can tell the difference do items go together: in processes, and without
        # hooks.
        def single?
          @request.place != :processes || @request.hooks.any? || @request.isolation? ||
            !@request.producer.nil?
        end

        # A forked worker has the items already; others are given them.
        def feed(sizer)
          return Turns.new(@request) if @request.producer || @request.place != :processes

          Pool::IndexedFeed.new(Pool::Input.of(0...@request.items.size), sizer, @request.workers)
        end
      end
    end
  end
end
