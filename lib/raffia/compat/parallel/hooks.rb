# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  module Compat
    module Parallel
      # Calls the program's hooks in its process as items begin and end, one at a time.
      #
      # @api private
      class Hooks
        # +total+: number of items, nil when it is unknown.
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

        # Whether a callback of the program runs for each item.
        def any? = start? || finish?

        # Whether {#ended} has to be called.
        def wanted? = @wanted

        # Returns whether the item begins; it does not when the block is true.
        def start(item, index)
          @lock.synchronize do
            next false if block_given? && yield

            @start.call(item, index)
            true
          end
        end

        # +count+: items that have ended, always 1 with a finish hook.
        def ended(item, index, result, count = 1)
          @lock.synchronize do
            if @in_order then finish_in_order(item, index, result)
            elsif @finish then @finish.call(item, index, result)
            end
            advance(count) if @bar
          end
        end

        private

        # The caller may have given another total.
        def advance(count)
          @bar.progress = [@bar.progress + count, @bar.total].compact.min
        end

        # A result that comes early waits for those before it.
        def finish_in_order(item, index, result)
          @ended[index] = [item, result]
          while (one = @ended.delete(@next))
            @finish.call(one.first, @next, one.last)
            @next += 1
          end
        end

        def bar(setting, total)
          return unless setting
          raise "Progressbar can only be used with array like items" unless total

          Optional.gem("ruby-progressbar", for: "progress: of parallel")
          given = if setting == true then {title: "Progress"}
          elsif setting.respond_to?(:to_str) then {title: setting.to_str}
          else
            setting
          end
          ::ProgressBar.create({total:, format: "%t |%E | %B | %a"}.merge(given))
        end
      end
    end
  end
end
