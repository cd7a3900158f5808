# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../in_flight_requests"
require_relative "../metrics/totals"

module Raffia
  class Server
    module Observability
      module StatusPanel
        class SingleProcess
          # @return [Metrics::Counters] where its worker counts
          attr_reader :counters
          # @return [Worker, nil]
          attr_accessor :worker

          def initialize
            @counters = Metrics::Counters.alone
            @begun = Clock.now
          end

          # @return [Metrics::Totals]
          def totals = Metrics::Totals.new(@counters.board, [::Process.pid])

          # @return [Symbol] as that of a supervisor
          def state = @worker ? :running : :booting

          # @return [Array<Hash>]
          def workers
            [{slot: 0, pid: ::Process.pid, state: state, ready: !@worker.nil?, since: @begun,
              restarts: 0, pss: Process::Memory.of&.pss}]
          end

          # @return [Array<Hash>] what each worker is at
          def requests(slow) = [@worker&.in_flight(slow) || InFlightRequests.merge([])]
        end
      end
    end
  end
end
