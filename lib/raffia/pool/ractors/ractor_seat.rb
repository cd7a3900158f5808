# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../item_context"
require_relative "ractor_service"
require_relative "../seat"
require_relative "trespass"

module Raffia
  class Pool
    # A Ractor that runs the block over many chunks, seen by its driver.
    #
    # @api private
    class RactorSeat < Seat
      # Work that is shorter than this is handed over ahead, so that the Ractor does not wait for us
      # between chunks. What takes longer is not: handed over, it could not go to a Ractor that is
      # idle.
      AHEAD = 0.05

      # @param plan [Plan] shareable
      # @param input [#slice, nil]
      # @param sizer [ChunkSize]
      # @param room [HeapRoom]
      # @param move [Boolean] whether items are moved and not copied
      def initialize(plan, input, sizer, room, move: false)
        super(plan)
        @sizer = sizer
        @move = move
        @tray = Loan.tray
        @shared = input&.shareable
        @ractor = RactorService.start(plan, @shared, @tray)
        @room = room.tap(&:enter)
      end

      def ready? = @posted.empty? || (@posted.size == 1 && @sizer.hand_ahead?(AHEAD))

      def post(chunk)
        @posted << chunk
        @ractor.post([chunk.first, @shared ? chunk.size : sent(chunk)], move: @move && !@shared)
      rescue TypeError, ::Ractor::Error => error
        @posted.pop
        raise uncopyable(chunk, error)
      end

      def collect
        frame = @ractor.read or raise died
        reply = Loan.collect(ReplyDump.load(frame, @posted.first), @tray)
        [@posted.shift, Trespass.explain(reply, @plan.block)]
      end

      # Wait until there is something to collect.
      # @param seconds [Numeric]
      # @return [Boolean] whether there is
      def reply?(seconds) = @ractor.reply?(seconds)

      # @param clean [Boolean] false leaves a Ractor that is still at work alone with it: it ends
      #   when it has finished its chunk
      # @return [void]
      def leave(clean)
        clean ? @ractor.finish : @ractor.abandon
      ensure
        @room.leave
      end

      # Leave the Ractor alone with what it does, from whichever thread; its driver then finds it
      # gone.
      # @return [Symbol] :abandoned
      def halt
        @ractor.abandon
        :abandoned
      end

      private

      # The Arrays around what is moved are ours, so that nothing but the items, or the arguments,
      # goes.
      def sent(chunk)
        if @plan.operation == :settle
          return payload(chunk).map { |arguments| @move ? arguments.dup : Loan.lend(arguments) }
        end

        @move ? payload(chunk).to_a.dup : Loan.lend(payload(chunk))
      end

      def uncopyable(chunk, error)
        position = payload(chunk).index { |item| !copyable?(item) } || 0
        index = chunk.first + position
        item = subject(chunk, index)
        ItemContext.mark(NotShareable.new("item #{index} (#{item.class}) cannot be " \
        "#{@move ? "moved" : "copied"} to another Ractor " \
          "(#{error.message}): hand in plain data, or run it on: :processes or :threads"), item,
          index)
      end

      def copyable?(item)
        ItemContext.moved?(item) || ::Ractor.make_shareable(item, copy: true)
        true
      rescue ::Ractor::Error, TypeError
        false
      end

      # Only an error of ours, or what even `rescue Exception` does not see (Thread#kill), gets us
      # here.
      def died
        index = @posted.first.first
        words = @ractor.last_words
        WorkerDied.new("the Ractor that worked on item #{index} and its followers ended without " \
          "a reply#{" (#{words})" if words}",
          item: subject(@posted.first, index), index: index)
      end
    end
  end
end
