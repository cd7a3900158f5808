# frozen_string_literal: true

require_relative "layout"

module Raffia
  class Server
    module Observability
      module Metrics
        # Counters and gauges of a worker in shared memory that the supervisor reads. Writes are
        # atomic, so Ractors and threads of the worker share it.
        #
        # @api private
        class Counters
          def self.alone(rates = nil)
            new(Native::SharedCounters.new(Layout::SIZE), 0, rates).open
          end

          attr_reader :memory
          # Memory of {Admission::ClientRates} that the workers share, or nil.
          attr_reader :rates
          # {Admission::ClientCounts} of connections that the workers share, or nil.
          attr_reader :client_counts

          def initialize(memory, part = 0, rates = nil, client_counts = nil)
            @memory = memory
            @rates = rates
            @client_counts = client_counts
            @first = part * Layout::SIZE
            @in_flight = @first + Layout::GAUGE[:in_flight]
            freeze
          end

          def open
            Layout::GAUGES.each { |name| set(name, 0) }
            set(:pid, ::Process.pid)
            self
          end

          # A request begins. Returns now in monotonic microseconds.
          def begin = @memory.begin(@in_flight)

          # A request has ended. `status`: 0 without a response. `queued`: microseconds; negative
          # when not known. Returns microseconds since `began`.
          def finish(began, status, queued, received, sent)
            @memory.finish(@in_flight, @first, began, status, queued, received, sent)
          end

          def count(name, by = 1) = @memory.add(@first + Layout::COUNTER.fetch(name), by)

          def refused(status)
            @memory.add(@first + Layout::REFUSAL.fetch(status, Layout::OTHER_REFUSAL), 1)
          end

          def set(name, value)
            @memory[@first + Layout::GAUGE.fetch(name)] = value
          end

          def change(name, by) = @memory.add(@first + Layout::GAUGE.fetch(name), by)

          def gauge(name) = @memory[@first + Layout::GAUGE.fetch(name)]
        end
      end
    end
  end
end
