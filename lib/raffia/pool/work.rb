# frozen_string_literal: true

require "timeout"
require_relative "../base/clock"
require_relative "../base/error"
require_relative "../task"
require_relative "retry/trying"

module Raffia
  class Pool
    # What went wrong, or what ended the work early, while a block ran.
    #
    # kind:: :error; or :break when the block used +break+; or :throw when it threw a tag that
    # nobody in the worker catches; or
    #        :undumpable when the result or the exception could not leave the worker
    # position:: counted from the start of the chunk
    # value:: the exception; the value of the break; the tag and value of the throw; what could not
    # leave, and why, in words
    # backtrace:: of the exception, apart from it because not every way between workers keeps it
    #
    # @api private
    Failure = Struct.new(:kind, :position, :value, :backtrace) do
      # Whether another attempt may end better. One with wrong arguments will not, nor one with what
      # cannot cross to its worker.
      # @param errors [Array<Module>] on which to try again
      def passing?(errors)
        case value
        when ConfigError, NotShareable, NotDumpable then false
        else kind == :error && errors.any? { |error| error === value }
        end
      end
    end

    # What a worker gives back for a chunk.
    #
    # value:: depends on the operation
    # failure:: nil when all went well
    # seconds:: how long the chunk took
    #
    # @api private
    Reply = Struct.new(:value, :failure, :seconds)

    # The outcomes of a chunk whose items have nothing to do with each other.
    #
    # values:: nil where there is a failure
    # failures:: Hash of positions to Failures; nil when all went well
    #
    # @api private
    Settled = Struct.new(:values, :failures)

    # What every worker of a call does with its chunks.
    #
    # operation:: the name of a method of {Work}
    # block:: the user's
    # seed:: what a fold starts from, {Work::NOTHING} for its first item; or what the operations of
    # {Trying} try again on
    #
    # @api private
    Plan = Data.define(:operation, :block, :seed) do
      # @param seconds [Numeric, nil] for each call of the block
      # @return [Plan] the same work under that limit
      def within(seconds)
        return self unless seconds

        work = block
        with(block: ->(*arguments) { Raffia.timeout(seconds) { work.call(*arguments) } })
      end
    end

    # A failure that happened further away, on its way back through the {Work} that asked for it.
    #
    # @api private
    class Carried < StandardError
      # @return [Failure]
      attr_reader :failure

      def initialize(failure)
        @failure = failure
        super("a #{failure.kind} elsewhere")
      end
    end

    # The operations, each over the items of one chunk. This is the loop that the user's block runs
    # in, on every strategy and in every kind of worker, so it allocates nothing per item and uses
    # no constant that a Ractor may not read.
    #
    # @api private
    module Work
      # In place of the value that a reduction starts from, when there is none. A Symbol: it stays
      # itself in any worker.
      NOTHING = :raffia_nothing
      KILLED = :raffia_killed_position
      private_constant :KILLED

      class << self
        include Trying

        # @param plan [Plan]
        # @param items [#each]
        # @return [Reply]
        def call(plan, items)
          started = Clock.now
          reply = public_send(plan.operation, items, plan.block, plan.seed)
          reply.seconds = Clock.now - started
          reply
        end

        # @return [Reply] with the results
        def map(items, block, _seed)
          position = -1
          values = []
          items.each do |item|
            position += 1
            values << block.call(item)
          end
          reply = Reply.new(values)
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @return [Reply] with nothing: the results are dropped where they arise
        def each(items, block, _seed)
          position = -1
          items.each do |item|
            position += 1
            block.call(item)
          end
          reply = Reply.new
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @return [Reply] with the position of the first item that the block says yes to, or nil
        def find(items, block, _seed)
          position = -1
          reply = nil
          items.each do |item|
            position += 1
            break reply = Reply.new(position) if block.call(item)
          end
          reply ||= Reply.new
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # @param seed [Object] NOTHING folds the items into the first of them
        # @return [Reply] with the chunk folded into one value
        def reduce(items, block, seed)
          position = -1
          memo = seed.dup # a Hash or an Array is not to be shared by the chunks
          items.each do |item|
            position += 1
            memo = NOTHING.equal?(memo) ? item : block.call(memo, item)
          end
          reply = Reply.new(memo)
        rescue Exception => error # standard:disable Lint/RescueException
          reply = failed(error, position)
        ensure
          note_killed(position) unless reply
        end

        # For long-lived pools: each item is the arguments of a call, and one failure does not end
        # the others.
        # @return [Reply] with {Settled}
        def settle(items, block, _seed)
          settled = Settled.new([])
          items.each_with_index do |arguments, position|
            settled.values << block.call(*arguments)
          rescue Exception => error # standard:disable Lint/RescueException
            (settled.failures ||= {})[position] = failed(error, position).failure
            settled.values << nil
          end
          Reply.new(settled)
        end

        # @return [Integer, nil] where in its chunk this thread or fiber was when it was killed,
        #   which no `rescue` sees
        def killed_position = Thread.current[KILLED]

        # @param error [Exception] what ended the block
        # @return [Failure]
        def failure(error, position)
          kind, value = outcome(error)
          Failure.new(kind, position, value, backtrace(error))
        end

        private

        def note_killed(position)
          Thread.current[KILLED] = position
        end

        # A class may have a method of its own for this, which may raise.
        def backtrace(error)
          error.backtrace
        rescue => worse
          worse.backtrace
        end

        # Being told to stop, by whoever waits for us, is not a failure of the item: that goes on
        # up.
        def failed(error, position)
          raise error if error.is_a?(Cancel) || error.is_a?(::Timeout::ExitException)
          return Reply.new(nil, failure(error, position)) unless error.is_a?(Carried)

          error.failure.position = position
          Reply.new(nil, error.failure)
        end

        # A block that runs in another thread, fiber or process cannot unwind into the caller's
        # frames by itself: Ruby says so with these two errors, and the caller carries out what was
        # meant.
        def outcome(error)
          case error
          when LocalJumpError
            (error.reason == :break) ? [:break, error.exit_value] : [:error, error]
          when UncaughtThrowError then [:throw, [error.tag, error.value]]
          else [:error, error]
          end
        end
      end
    end
  end
end
