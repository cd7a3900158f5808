# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  module Compat
    module Parallel
      # The program's hooks, called in its process as items begin and end, one at a time.
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
          @wanted = !!(@finish || @bar)
          @lock = Thread::Mutex.new
          @ended = {}
          @next = 0
        end

        def start? = !!@start

        def finish? = !!@finish

        # Whether something of the program's is called for each item.
        def any? = start? || finish?

        # Whether anybody wants to hear of items that have ended.
        def wanted? = @wanted

        # Where there is a start hook.
        # @yieldreturn [Boolean] whether there is nothing to begin any more
        # @return [Boolean] whether the item begins
        def start(item, index)
          @lock.synchronize do
            next false if block_given? && yield

            @start.call(item, index)
            true
          end
        end

        # @param count [Integer] of items that have ended; where there is a finish hook, they come
        #   one by one
        # @return [void]
        def ended(item, index, result, count = 1)
          @lock.synchronize do
            if @in_order then finish_in_order(item, index, result)
            elsif @finish then @finish.call(item, index, result)
            end
            advance(count) if @bar
          end
        end

        private

        # The total may be one that the caller has given.
        def advance(count)
          @bar.progress = [@bar.progress + count, @bar.total].compact.min
        end

        # A result that comes before its turn waits for it.
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
