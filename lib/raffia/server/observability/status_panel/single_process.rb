# frozen_string_literal: true

require_relative "../in_flight_requests"
require_relative "../metrics/totals"

module Raffia
  class Server
    module Observability
      # Data about a server: state, workers, totals, requests in flight.
      #
      # @api private
      module StatusPanel
        # Status of a server without worker processes.
        #
        # @api private
        class SingleProcess
          attr_reader :counters
          attr_accessor :worker

          # `rates`: see {Metrics::Counters}.
          def initialize(rates = nil)
            @counters = Metrics::Counters.alone(rates)
            @begun = Clock.now
          end

          def totals = Metrics::Totals.new(@counters.memory, [::Process.pid])

          def autoscaler = nil

          def takeover = nil

          def state = @worker ? :running : :booting

          def workers
            [{slot: 0, pid: ::Process.pid, state: state, ready: !@worker.nil?, since: @begun,
              restarts: 0, pss: Process::Memory.of&.pss}]
          end

          def requests(slow) = [@worker&.in_flight(slow) || InFlightRequests.merge([])]
        end
      end
    end
  end
end
