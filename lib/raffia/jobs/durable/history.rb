# frozen_string_literal: true

require_relative "error"

module Raffia
  module Jobs
    module Durable
      # Recorded steps of a function's present run. Each run of its job reads all of them, so a
      # function with many should {Durable#continue_as_new}.
      class History
        # Steps and bytes from which on a function is warned about, and {large?}.
        WARN = [1_000, 1024 * 1024].freeze
        # Steps and bytes, at most.
        MOST = [10_000, 16 * 1024 * 1024].freeze

        # @return [Integer]
        attr_reader :steps, :bytes

        # @api private
        def initialize(recorded, &warn)
          @recorded = {}
          @steps = @bytes = 0
          recorded.each { |step| add(step) }
          @visited = {}
          @warn = warn
        end

        # @return [Boolean] whether it is time to {Durable#continue_as_new}
        def large? = exceeds?(WARN)

        # @api private
        def [](place) = @recorded[place]

        # @api private
        def visit(place) = @visited[place] = true

        # @api private
        def add(step)
          before = large?
          @steps += 1 unless @recorded.key?(step.place)
          @bytes += step.name.bytesize + step.value.to_s.bytesize
          @recorded[step.place] = step
          @warn&.call(self) if large? && !before
        end

        # Refuses one more step. Raises {HistoryTooLarge}.
        # @api private
        def check_size
          return unless @steps >= MOST[0] || @bytes > MOST[1]

          raise HistoryTooLarge, "this function has #{@steps} steps with #{@bytes} bytes, " \
            "the limits are #{MOST[0]} and #{MOST[1]}: end a part of its work with continue_as_new"
        end

        # Raises {NondeterminismError} when recorded steps were not reached.
        # @api private
        def check_end
          left = @recorded.each_value.find { |step| !@visited.key?(step.place) } or return
          raise NondeterminismError, "the function ended before step #{left.place}, which was " \
            "recorded as #{left.kind} #{left.name}: run the code that recorded it, or mark the " \
            "change with patch"
        end

        private

        def exceeds?(limits) = @steps >= limits[0] || @bytes >= limits[1]
      end
    end
  end
end
