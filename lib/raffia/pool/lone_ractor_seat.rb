# frozen_string_literal: true

require_relative "../process/experimental"
require_relative "portable_block"
require_relative "ractor_service"
require_relative "seat"

module Raffia
  class Pool
    # A new Ractor for each item, for blocks that cannot be handed to a living one. The driver does the rest of the work.
    class LoneRactorSeat < Seat
      # @param plan [Plan]
      def initialize(plan)
        @alone = plan.block
        @relay = RactorService.relay
        super(plan.with(block: ->(*arguments) { call(arguments) }))
      end

      def leave(clean) = clean ? @relay.finish : @relay.abandon

      private

      def call(arguments)
        @relay.post([start(arguments), @plan.operation != :each])
        frame = @relay.read or raise WorkerDied, "the Ractor that waits for the others ended; what it printed says why"
        reply = ReplyDump.load(frame, @posted.first)
        reply.failure ? raise(Carried.new(reply.failure)) : reply.value
      end

      def start(arguments)
        Process::Experimental.silently { ::Ractor.new(*arguments, &@alone) }
      rescue ::Ractor::IsolationError, ArgumentError => error
        raise PortableBlock.refusal(@alone, error)
      rescue TypeError => error
        raise NotShareable, "the item cannot be copied to another Ractor (#{error.message}): hand in plain data, or run it " \
          "on: :processes or :threads"
      end
    end
  end
end
