# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../in_flight_requests"
require_relative "../metrics/totals"

module Raffia
  class Server
    module Observability
      # The data that {Admin} shows of a server: state, workers, totals and requests in flight.
      #
      # @api private
      module StatusPanel
        # The status of a server without worker processes.
        #
        # @api private
        class SingleProcess
          # @return [Metrics::Counters] of its worker
          attr_reader :counters
          # @return [Worker, nil]
          attr_accessor :worker

          def initialize
            @counters = Metrics::Counters.alone
            @begun = Clock.now
          end

          # @return [Metrics::Totals]
          def totals = Metrics::Totals.new(@counters.memory, [::Process.pid])

          # @return [Symbol] as a supervisor's
          def state = @worker ? :running : :booting

          # @return [Array<Hash>]
          def workers
            [{slot: 0, pid: ::Process.pid, state: state, ready: !@worker.nil?, since: @begun,
              restarts: 0, pss: Process::Memory.of&.pss}]
          end

          # @return [Array<Hash>] requests in flight, by worker
          def requests(slow) = [@worker&.in_flight(slow) || InFlightRequests.merge([])]
        end
      end
    end
  end
end
