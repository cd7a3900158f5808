# frozen_string_literal: true

require_relative "layout"

module Raffia
  class Server
    module Observability
      module Metrics
        # What one worker counts, in memory that the supervisor reads. All writes are atomic, so its
        # Ractors and threads may share it.
        #
        # @api private
        class Counters
          # @return [Counters] of a worker that has no others beside it
          def self.alone = new(Native::SharedCounters.new(Layout::SIZE)).open

          # @return [Native::SharedCounters]
          attr_reader :board

          # @param board [Native::SharedCounters]
          # @param lane [Integer]
          def initialize(board, lane = 0)
            @board = board
            @tally = lane * Layout::SIZE
            @in_flight = @tally + Layout::GAUGE[:in_flight]
            freeze
          end

          # A worker begins: the gauges are its own.
          # @return [self]
          def open
            Layout::GAUGES.each { |name| set(name, 0) }
            set(:pid, ::Process.pid)
            self
          end

          # A request begins.
          # @return [Integer] now, in monotonic microseconds
          def begin = @board.begin(@in_flight)

          # It has ended.
          # @param began [Integer] what {begin} answered
          # @param status [Integer] 0 when nothing was answered
          # @param queued [Integer] microseconds that it waited before it began; negative when not
          #   known
          # @return [Integer] microseconds that it took
          def finish(began, status, queued, received, sent)
            @board.finish(@in_flight, @tally, began, status, queued, received, sent)
          end

          # @param name [Symbol] of {Layout::COUNTED}
          def count(name, by = 1) = @board.add(@tally + Layout::COUNTER.fetch(name), by)

          # A request that was not one, or cannot be taken.
          # @param status [Integer] of the answer
          def refused(status)
            @board.add(@tally + Layout::REFUSAL.fetch(status, Layout::OTHER_REFUSAL), 1)
          end

          # @param name [Symbol] of {Layout::GAUGES}
          def set(name, value)
            @board[@tally + Layout::GAUGE.fetch(name)] = value
          end

          # @return [Integer] what it is then
          def change(name, by) = @board.add(@tally + Layout::GAUGE.fetch(name), by)

          # @return [Integer]
          def gauge(name) = @board[@tally + Layout::GAUGE.fetch(name)]
        end
      end
    end
  end
end
