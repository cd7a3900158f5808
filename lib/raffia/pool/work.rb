# frozen_string_literal: true

require "timeout"
require_relative "../base/clock"
require_relative "../executor/failure"
require_relative "../executor/reply"
require_relative "../task"
require_relative "retry/operations"

module Raffia
  class Pool
    # The operations, each over the items of one chunk: the loops that call the user's block, in
    # every kind of worker. They allocate nothing per item and use no constant that a Ractor may not
    # read.
    #
    # @api private
    module Work
      # In place of the initial value of a fold that has none. A Symbol stays itself in any worker.
      NOTHING = :raffia_nothing
      KILLED = :raffia_killed_position
      private_constant :KILLED

      class << self
        include Retry::Operations

        def call(plan, items)
          started = Clock.now
          reply = public_send(plan.operation, items, plan.block, plan.seed)
          reply.seconds = Clock.now - started
          reply
        end

        # @return [Executor::Reply] with the results
        def map(items, block, _seed)
          position = -1
          values = []
          items.each do |item|
            position += 1
            values << block.call(item)
          end
          reply = Executor::Reply.new(values)
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @return [Executor::Reply] with nothing: the results are dropped where they arise
        def each(items, block, _seed)
          position = -1
          items.each do |item|
            position += 1
            block.call(item)
          end
          reply = Executor::Reply.new
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @return [Executor::Reply] with the position of the first item that the block says yes to,
        #   or nil
        def find(items, block, _seed)
          position = -1
          reply = nil
          items.each do |item|
            position += 1
            break reply = Executor::Reply.new(position) if block.call(item)
          end
          reply ||= Executor::Reply.new
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @param seed [Object] NOTHING folds the items into the first of them
        # @return [Executor::Reply] with the chunk folded into one value
        def reduce(items, block, seed)
          position = -1
          memo = seed.dup # a Hash or an Array is not to be shared by the chunks
          items.each do |item|
            position += 1
            memo = NOTHING.equal?(memo) ? item : block.call(memo, item)
          end
          reply = Executor::Reply.new(memo)
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # For long-lived pools: each item is the arguments of a call, and one failure does not end
        # the others.
        # @return [Executor::Reply] with {Executor::Reply::Outcomes}
        def settle(items, block, _seed)
          settled = Executor::Reply::Outcomes.new([])
          items.each_with_index do |arguments, position|
            settled.values << block.call(*arguments)
          rescue Exception => error # standard:disable Lint/RescueException
            (settled.failures ||= {})[position] = failed(error, position).failure
            settled.values << nil
          end
          Executor::Reply.new(settled)
        end

        # @return [Integer, nil] where in its chunk this thread or fiber was when it was killed,
        #   which no `rescue` sees
        def killed_position = Thread.current[KILLED]

        private

        def note_killed(position)
          Thread.current[KILLED] = position
        end

        # An order to stop is no failure of the item: it goes on up.
        def failed(error, position)
          raise error if error.is_a?(Cancel) || error.is_a?(::Timeout::ExitException)

          failure = if error.is_a?(Executor::Failure::Remote)
            error.failure
          else
            Executor::Failure.of(error)
          end
          failure.position = position
          Executor::Reply.new(nil, failure)
        end
      end
    end
  end
end
