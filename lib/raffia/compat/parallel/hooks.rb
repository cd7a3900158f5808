# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  module Compat
    module Parallel
      # What is called in the program's process as items begin and end; one at a time.
      #
      # @api private
      class Hooks
        # @param options [Hash]
        # @param total [Integer, nil] items; nil when nobody knows
        def initialize(options, total)
          @start = options[:start]
          @finish = options[:finish]
          @in_order = options[:finish_in_order] && @finish
          @bar = bar(options[:progress], total)
          @lock = Thread::Mutex.new
          @ended = {}
          @next = 0
        end

        def start? = !!@start

        def finish? = !!@finish

        # Whether something of the program's is called for each item.
        def any? = start? || finish?

        # @param unless_over [#call, nil] says whether an earlier one has failed: then there is nothing to begin any more
        # @return [Boolean] whether the item begins
        def start(item, index, unless_over: nil)
          return true unless @start

          @lock.synchronize do
            return false if unless_over&.call

            @start.call(item, index)
          end
          true
        end

        # @return [void]
        def finish(item, index, result)
          return unless @finish

          @lock.synchronize { @in_order ? finish_in_order(item, index, result) : @finish.call(item, index, result) }
        end

        # @param count [Integer] of items that have ended
        # @return [void]
        def advance(count)
          @lock.synchronize { @bar.progress += count } if @bar
        end

        private

        # What ended before its turn waits for it.
        def finish_in_order(item, index, result)
          @ended[index] = [item, result]
          while (one = @ended.delete(@next))
            @finish.call(one.first, @next, one.last)
            @next += 1
          end
        end

        def bar(wish, total)
          return unless wish
          raise "Progressbar can only be used with array like items" unless total

          Optional.gem("ruby-progressbar", for: "progress: of parallel")
          given = if wish == true then {title: "Progress"}
          elsif wish.respond_to?(:to_str) then {title: wish.to_str}
          else
            wish
          end
          ::ProgressBar.create({total: total, format: "%t |%E | %B | %a"}.merge(given))
        end
      end
    end
  end
end
