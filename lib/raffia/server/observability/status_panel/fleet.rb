# frozen_string_literal: true

require_relative "../../../process/supervisor/scoreboards"
require_relative "../../admission/client_counts"
require_relative "../in_flight_requests"
require_relative "../metrics/totals"

module Raffia
  class Server
    module Observability
      module StatusPanel
        # Status of a supervisor and its workers. Metrics are in shared memory; requests in flight
        # are asked of the workers.
        #
        # @api private
        class Fleet
          ROWS = Process::Supervisor::Scoreboards::ROWS
          # Seconds for a worker to answer. One that is stuck in C does not.
          TIMEOUT = 1
          # Seconds to reuse a status: measuring memory is slow.
          FRESH = 1
          private_constant :ROWS, :TIMEOUT, :FRESH

          # `rates`: see {Metrics::Counters}. `connections`: memory of {Admission::ClientCounts}.
          def initialize(slots, rates = nil, connections = nil)
            @rates = rates
            @connections = connections
            @memory = Native::SharedCounters.new(slots * ROWS * Metrics::Layout::SIZE)
            @answers = {}
            @round = 0
            @lock = Thread::Mutex.new
          end

          attr_writer :supervisor

          def counters(worker_context)
            place = worker_context.index * ROWS + worker_context.row
            Metrics::Counters.new(@memory, place, @rates, client_counts(place)).open
          end

          # A worker of the slot has ended. One that was killed had connections.
          def ended(slot, pid)
            return unless @connections

            place = (0...ROWS).map { |row| slot * ROWS + row }
              .find { |one| Metrics::Counters.new(@memory, one).gauge(:pid) == pid }
            client_counts(place).clear if place
          end

          def totals
            pids = slots.flat_map { |slot| [slot[:pid], slot[:successor], *slot[:leaving]] }
            Metrics::Totals.new(@memory, pids.compact)
          end

          # Facts about a worker for the autoscaler.
          def load(slot, row, pid)
            part = Metrics::Counters.new(@memory, slot * ROWS + row)
            return {} unless part.gauge(:pid) == pid

            {wait: [part.gauge(:loop_lag), part.gauge(:longest_wait)].max / 1e6,
             occupancy: part.gauge(:occupancy) / 1e3}
          end

          # The range of workers and its changes so far; nil where their number is fixed.
          def autoscaler = status[:autoscaler]

          # Facts about takeovers; nil where there can be none.
          def takeover = status[:handover]

          def state = status[:state]

          def workers
            slots.map do |slot|
              {slot: slot[:index], ready: slot[:state] == :ready,
               **slot.slice(:pid, :generation, :state, :since, :restarts, :leaving, :last_exit,
                 :pss)}
            end
          end

          def requests(slow)
            @lock.synchronize do
              answers = @answers[@round += 1] = Thread::Queue.new
              @supervisor.broadcast("in_flight", [@round, slow])
              collect(answers, slots.count { |slot| slot[:pid] })
            ensure
              @answers.delete(@round)
            end
          end

          def receive(name, data) = (@answers[data.first]&.push(data.last) if name == "in_flight")

          # In a worker: answers {#requests}.
          def self.answer(worker_context, worker)
            worker_context.on_message(:in_flight) do |round, slow|
              worker_context.send(:in_flight, [round, worker.in_flight(slow)])
            end
          end

          private

          def client_counts(place)
            Admission::ClientCounts.new(@connections, place) if @connections
          end

          def collect(answers, count)
            finish = Clock.now + TIMEOUT
            found = []
            while found.size < count && (answer = answers.pop(timeout: [finish - Clock.now, 0].max))
              found << answer
            end
            found
          end

          def status
            return @status if @status && Clock.now < @read_at + FRESH

            @read_at = Clock.now
            @status = @supervisor.status || {state: :booting, slots: []}
          end

          def slots = status[:slots]
        end
      end
    end
  end
end
