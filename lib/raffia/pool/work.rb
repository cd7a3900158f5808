# frozen_string_literal: true

require "timeout"
require_relative "retry/operations"

module Raffia
  class Pool
    # The work of a call: what every worker does with its chunks.
    #
    # operation:: the name of a method of {Work}
    # block:: the user's
    # seed:: where a fold starts, {Work::NOTHING} for its first item; or the errors on which the
    #        operations of {Retry::Operations} try again
    #
    # @api private
    Plan = Data.define(:operation, :block, :seed) do
      # The same work under a time limit, if any, for each call of the block.
      def within(seconds)
        return self unless seconds

        work = block
        with(block: ->(*arguments) { Raffia.timeout(seconds) { work.call(*arguments) } })
      end
    end

    # The operations, each over the items of one chunk: the loops that call the user's block, in
    # every kind of worker. They return an {Executor::Reply}, allocate nothing per item, and use no
    # constant that a Ractor may not read.
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

        # The results are dropped at once.
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

        def reduce(items, block, seed)
          position = -1
          memo = seed.dup # chunks must not share a Hash or an Array
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

        # Persistent pools use it: each item is the arguments of a call, and one failure does not
        # end the others. The value is {Executor::Reply::Outcomes}.
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

        # The position at which this thread or fiber was killed, which no `rescue` sees.
        def killed_position = Thread.current[KILLED]

        private

        def note_killed(position)
          Thread.current[KILLED] = position
        end

        # A cancellation is no failure of the item: it is raised again.
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
