# frozen_string_literal: true

module Raffia
  class Pool
    module Retry
      # The operations of {Work} where an item may be tried again: one that fails so that another
      # attempt is worth it does not end its chunk, and the reply says which those were. What each
      # of them takes in place of a seed are the errors to try again on.
      #
      # A fold has no such operation. Half of a fold cannot be trusted, because a block that failed
      # may have changed its memo; so there the chunk is folded anew.
      module Operations
        # The operation that stands in for another one.
        FOR = {map: :try_map, each: :try_each, find: :try_find}.freeze

        # With the results, or with {Executor::Reply::Outcomes} when some items failed.
        def try_map(items, block, errors)
          values = Array.new(items.size)
          failures = try(items, errors) { |item, position| values[position] = block.call(item) }
          outcome_of(values, failures)
        end

        # With nothing, or with {Executor::Reply::Outcomes}.
        def try_each(items, block, errors)
          outcome_of(nil, try(items, errors) { |item, _| block.call(item) })
        end

        # With the position of the first item that the block says yes to, or nil, or
        # {Executor::Reply::Outcomes}.
        def try_find(items, block, errors)
          outcome_of(nil,
            try(items, errors) { |item, position|
              return Executor::Reply.new(position) if block.call(item)
            })
        end

        private

        # A single Executor::Failure when that ends the work.
        def try(items, errors)
          failures = current = nil
          items.each_with_index do |item, position|
            yield item, current = position
          rescue Exception => error # standard:disable Lint/RescueException
            failure = failed(error, position).failure
            return failure unless failure.retryable?(errors)

            (failures ||= {})[position] = failure
          end
          ended = true
          failures
        ensure
          note_killed(current) unless ended
        end

        def outcome_of(values, failures)
          case failures
          when nil then Executor::Reply.new(values)
          when Executor::Failure then Executor::Reply.new(nil, failures)
          else Executor::Reply.new(Executor::Reply::Outcomes.new(values || [], failures))
          end
        end
      end
    end
  end
end
