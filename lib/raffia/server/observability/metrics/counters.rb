# frozen_string_literal: true

require_relative "layout"

module Raffia
  class Server
    module Observability
      module Metrics
        # The counters and gauges of a worker, in memory that the supervisor reads. All writes are
        # atomic, so the worker's Ractors and threads may share it.
        #
        # @api private
        class Counters
          # @return [Counters] of the only worker
          def self.alone = new(Native::SharedCounters.new(Layout::SIZE)).open

          # @return [Native::SharedCounters]
          attr_reader :memory

          # @param lane [Integer] which part of it
          def initialize(memory, lane = 0)
            @memory = memory
            @first = lane * Layout::SIZE
            @in_flight = @first + Layout::GAUGE[:in_flight]
            freeze
          end

          # Resets the gauges, for a worker that begins.
          def open
            Layout::GAUGES.each { |name| set(name, 0) }
            set(:pid, ::Process.pid)
            self
          end

          # A request begins.
          # @return [Integer] now, in monotonic microseconds
          def begin = @memory.begin(@in_flight)

          # A request has ended.
          # @param began [Integer] what {begin} returned
          # @param status [Integer] 0 when nothing was answered
          # @param queued [Integer] microseconds before it began; negative when not known
          # @return [Integer] microseconds that it took
          def finish(began, status, queued, received, sent)
            @memory.finish(@in_flight, @first, began, status, queued, received, sent)
          end

          # @param name [Symbol] of {Layout::COUNTED}
          def count(name, by = 1) = @memory.add(@first + Layout::COUNTER.fetch(name), by)

          # Counts a request that the server refused.
          def refused(status)
            @memory.add(@first + Layout::REFUSAL.fetch(status, Layout::OTHER_REFUSAL), 1)
          end

          # @param name [Symbol] of {Layout::GAUGES}
          def set(name, value)
            @memory[@first + Layout::GAUGE.fetch(name)] = value
          end

          # @return [Integer] the new value
          def change(name, by) = @memory.add(@first + Layout::GAUGE.fetch(name), by)

          # @return [Integer]
          def gauge(name) = @memory[@first + Layout::GAUGE.fetch(name)]
        end
      end
    end
  end
end
