# frozen_string_literal: true

require_relative "portable_block"
require_relative "ractor_service"
require_relative "../seat"
require_relative "trespass"

module Raffia
  class Pool
    # A new Ractor for each item, for blocks that cannot be handed to a living one. The driver does
    # the rest of the work.
    #
    # @api private
    class LoneRactorSeat < Seat
      # The operations that drop their results.
      EACH = %i[each try_each].freeze
      private_constant :EACH

      # @param plan [Plan]
      # @param limit [Numeric, nil] seconds for an item
      def initialize(plan, limit = nil)
        @alone = plan.block
        @limit = limit
        @relay = RactorService.relay
        super(plan.with(block: ->(*arguments) { call(arguments) }))
      end

      def leave(clean) = clean ? @relay.finish : @relay.abandon

      # (see RactorSeat#halt)
      def halt
        @relay.abandon
        :abandoned
      end

      private

      def call(arguments)
        @relay.post([start(arguments), !EACH.include?(@plan.operation)])
        overrun unless @relay.reply?(@limit)
        frame = @relay.read or lost
        reply = Trespass.explain(ReplyDump.load(frame, @posted.first), @alone)
        reply.failure ? raise(Carried.new(reply.failure)) : reply.value
      end

      def lost
        words = @relay.last_words
        fresh
        raise WorkerDied, "the Ractor that waits for the others ended#{" (#{words})" if words}"
      end

      # The relay goes on waiting for a Ractor that nobody can stop.
      def overrun
        @relay.abandon
        fresh
        raise TimeoutError.new(seconds: @limit)
      end

      def fresh = @relay = RactorService.relay

      def start(arguments)
        unreported { RactorAdapter.start(*arguments, &@alone) }
      rescue ::Ractor::IsolationError, ArgumentError => error
        raise PortableBlock.refusal(@alone, error)
      rescue TypeError => error
        raise NotShareable,
          "the item cannot be copied to another Ractor (#{error.message}): hand in plain data, " \
          "or run it " \
          "on: :processes or :threads"
      end

      # The exception comes back to the caller, so the Ractor's thread does not print it. Whether a
      # thread reports is settled when it is made. The switch belongs to the process, so it is
      # turned for that moment only.
      def unreported
        # Off already: another driver is at it, and puts back what was. If we did so too, it could
        # stay off.
        return yield unless ::Thread.report_on_exception

        begin
          ::Thread.report_on_exception = false
          yield
        ensure
          ::Thread.report_on_exception = true
        end
      end
    end
  end
end
