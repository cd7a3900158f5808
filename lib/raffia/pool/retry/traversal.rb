# frozen_string_literal: true

require_relative "policy"
require_relative "feed"
require_relative "../traversal"

module Raffia
  class Pool
    module Retry
      # A traversal whose items may be tried again: the block failed, took too long, or its worker
      # died.
      #
      # A gathered result is never worked on again. Unreported work of a dead worker is done anew;
      # only the item that it was at counts an attempt.
      class Traversal < Pool::Traversal
        def initialize(input, gather, options, retries:, alone:, fold:, **rest)
          super(input, gather, options, **rest)
          @retries = retries
          @fold = fold
          @feed = Feed.new(@feed, ended: input.indexed?, alone: alone)
          @attempts = {} # failed ones, by the index of the item
          @false_starts = 0
        end

        # A caller that shares the input leaves pauses to the workers.
        def share(workers)
          super
          @feed.alone = false
        end

        def complete(chunk, reply)
          @false_starts = 0
          failure = reply.failure
          if failure
            return (@retries.worth?(failure) && again(chunk, chunk.first + failure.position)) ||
                super
          end
          return settle(chunk, reply) if reply.value.is_a?(Executor::Reply::Outcomes)

          unless @attempts.empty?
            @lock.synchronize { @attempts.delete_if { |index, _| chunk.cover?(index) } }
          end
          super
        end

        def replace?(error, slot)
          # Any other error is the worker loop's own, about a chunk that it has collected already.
          return false unless error.is_a?(WorkerDied) || error.is_a?(TimeoutError)
          return false if @over || !@retries.worth?(Executor::Failure.new(:error, 0, error))

          index = slot.begun
          return false if index.nil? && (@false_starts += 1) > Policy::FALSE_STARTS

          slot.posted.all? { |chunk| take_back(chunk, index) }
        end

        private

        def again(chunk, index)
          failed = @lock.synchronize { @attempts[index] = @attempts.fetch(index, 0) + 1 }
          pause = @retries.pause(failed)
          @feed.give_back(chunk, pause) if pause
          !pause.nil?
        end

        # False when one of its items may not be tried again.
        def take_back(chunk, index)
          return true.tap { @feed.give_back(chunk) } unless index && chunk.cover?(index)
          return again(chunk, index) if @fold
          return false unless again(chunk.part(index, 1), index)

          @feed.give_back(chunk.part(chunk.first, index - chunk.first)) if index > chunk.first
          rest = chunk.first + chunk.size - index - 1
          @feed.give_back(chunk.part(index + 1, rest)) if rest.positive?
          true
        end

        # Completes the good results, item by item, and has the others tried again.
        def settle(chunk, reply)
          values, failures = *reply.value
          chunk.size.times do |position|
            part = chunk.part(chunk.first + position, 1)
            failure = failures[position]
            if failure
              return failed(ItemFailure.in(chunk, failure)) unless again(part, part.first)
            else
              complete(part, Executor::Reply.new(([values[position]] unless values.empty?), nil,
                reply.seconds / chunk.size))
            end
          end
        end
      end
    end
  end
end
