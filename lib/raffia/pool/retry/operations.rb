# frozen_string_literal: true

module Raffia
  class Pool
    module Retry
      # The operations of {Work} where an item may be tried again: a failure that is worth another
      # attempt does not end the chunk, and the reply has {Executor::Reply::Outcomes}. In place of a
      # seed they take the errors to try again on.
      #
      # A fold has no such operation: a block that failed may have changed its memo, so the chunk is
      # folded anew.
      module Operations
        FOR = {map: :try_map, each: :try_each, find: :try_find}.freeze

        def try_map(items, block, errors)
          values = Array.new(items.size)
          failures = try(items, errors) { |item, position| values[position] = block.call(item) }
          outcome_of(values, failures)
        end

        def try_each(items, block, errors)
          outcome_of(nil, try(items, errors) { |item, _| block.call(item) })
        end

        def try_find(items, block, errors)
          outcome_of(nil,
            try(items, errors) { |item, position|
              return Executor::Reply.new(position) if block.call(item)
            })
        end

        private

        # Failures by position; a single Failure when that ends the work.
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
