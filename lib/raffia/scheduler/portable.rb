# frozen_string_literal: true

require_relative "portable/wait"
require_relative "portable/start"
require_relative "portable/switch"
require_relative "portable/block"
require_relative "portable/readiness"
require_relative "portable/bytes"

module Raffia
  class Scheduler
    # The hooks in Ruby, over the engine that is Ruby too. {Native} does the same in C; both are
    # held to one suite of tests.
    #
    # @api private
    class Portable < Scheduler
      include Switch
      include Block
      include Readiness
      include Bytes

      # @return [Boolean]
      def closed? = @closed

      # @return [Thread, nil] the one that it belongs to
      attr_reader :thread

      private

      def prepare(_turn, _recycle)
        @main = Fiber.current
        @closed = @rejects_waits = false
        init_switch
        init_block
      end

      def open_engine = @engine

      def engine=(engine)
        @thread = Thread.current
        @turn_begun = Clock.now
        @engine = engine
      end

      def mark_closed = @closed = true

      # Whether nothing may begin to wait any more.
      attr_writer :rejects_waits

      def counts
        {parked: @parked.size, switches: @switches, turns: @turns, deepest: @deepest,
         longest_turn: @longest_turn}
      end

      # `select` finds what is closed by itself.
      def io_closed = nil

      # Tell the loop, from any thread.
      def deliver(completion, result)
        engine = @engine or return

        if @thread.equal?(Thread.current)
          engine.push(completion, result)
        else
          engine.inject(completion, result)
        end
      end
    end
  end
end
