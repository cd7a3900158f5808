# frozen_string_literal: true

require_relative "item_context"

module Raffia
  class Pool
    # An {Executor::Failure} and its item, to be raised in the caller.
    #
    # @api private
    class ItemFailure
      def initialize(failure, item, index)
        @failure = failure
        @item = item
        @index = index
      end

      def self.in(chunk, failure)
        index = chunk.first + failure.position
        new(failure, chunk.at(index), index)
      end

      # Does in the caller what the worker could not: raises, throws, or returns the value of a
      # +break+.
      def deliver
        case @failure.kind
        when :break then @failure.value
        when :throw then throw(*@failure.value)
        when :undumpable then raise error(caller(1)), cause: ::TypeError.new(@failure.value.last)
        else raise error(caller(1))
        end
      end

      def error(frames = [])
        error = ItemContext.thaw(original)
        return error if error.frozen?

        error.set_backtrace(joined(@failure.backtrace || error.backtrace || [], frames))
        @index ? ItemContext.mark(error, @item, @index) : error
      end

      private

      # The block of a call that ran in the caller has the line of the call in its backtrace
      # already.
      def joined(own, frames)
        call = frames.find { |frame| !frame.start_with?(__dir__) }
        own.include?(call) ? own : own + frames
      end

      # The block's, or one in place of what could not leave the worker.
      def original
        return @failure.value unless @failure.kind == :undumpable

        what, why = @failure.value
        NotDumpable.new("#{what}#{" of item #{@index}" if @index} (#{why}) cannot be dumped by " \
        "Marshal: return plain data " \
          "(numbers, strings, arrays, hashes, structs), or run it on: :threads", item: @item,
          index: @index)
      end
    end
  end
end
