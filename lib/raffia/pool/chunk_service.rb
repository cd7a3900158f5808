# frozen_string_literal: true

require_relative "work"

module Raffia
  class Pool
    # Works on chunks where a worker is. A message is the index of the first item and the items, or
    # their number where the worker has the input.
    #
    # @api private
    class ChunkService
      attr_reader :plan, :input

      def initialize(plan, input)
        @plan = plan
        @input = input
      end

      def call(message) = Work.call(@plan, items(message))

      def block = @plan.block

      def nesting = (@plan.operation == :settle) ? 2 : 1

      def results? = !%i[each try_each].include?(@plan.operation)

      # The same, which notes the index of each item before its block.
      def noting(counter) = NotingService.new(@plan, @input, counter)

      # Copies itself for a Ractor. Raises NotShareable.
      def shareable(block)
        plan = @plan.with(block: block, seed: share(@plan.seed))
        ::Ractor.make_shareable(ChunkService.new(plan, @input&.shareable))
      end

      private

      def items((first, what)) = what.is_a?(Integer) ? @input.slice(first, what) : what

      def share(seed)
        ::Ractor.make_shareable(seed, copy: true)
      rescue ::Ractor::Error, TypeError => error
        raise NotShareable, "the initial value (#{seed.class}) cannot go to another Ractor " \
          "(#{error.message}): start from plain data"
      end

      # Runs in a process: after that was killed, the parent reads which item it was at.
      class NotingService < ChunkService
        def initialize(plan, input, counter)
          @counter = counter
          @index = 0
          # The first item of such a fold is not given to the block.
          @late = (plan.operation == :reduce && Work::NOTHING.equal?(plan.seed)) ? 1 : 0
          super(plan.with(block: noted(plan.operation, plan.block)), input)
        end

        def call(message)
          @index = message.first + @late
          super
        end

        private

        def noted(operation, block)
          case operation
          when :reduce then ->(memo, item) { note && block.call(memo, item) }
          when :settle then ->(*arguments) { note && block.call(*arguments) }
          else ->(item) { note && block.call(item) }
          end
        end

        def note
          @counter.value = @index
          @index += 1
        end
      end
      private_constant :NotingService
    end
  end
end
