# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../process/supervisor/scoreboards"
require_relative "../in_flight_requests"
require_relative "../metrics/totals"

module Raffia
  class Server
    module Observability
      module StatusPanel
        # Of a supervisor and its workers: their numbers are in memory that both have, and what they
        # are at is asked.
        class Supervised
          LANES = Process::Supervisor::Scoreboards::LANES
          # Seconds that a worker has to answer. One that is stuck in C does not.
          PATIENCE = 1
          # Seconds for which the sizes of processes, which cost milliseconds to find out, stay
          # good.
          FRESH = 1
          private_constant :PATIENCE, :FRESH

          # @param slots [Integer] that there can ever be
          def initialize(slots)
            @board = Native::SharedCounters.new(slots * LANES * Metrics::Layout::SIZE)
            @answers = {}
            @round = 0
            @turn = Thread::Mutex.new
          end

          # @return [Process::Supervisor]
          attr_writer :supervisor

          # @param seat [Process::Supervisor::WorkerContext]
          # @return [Metrics::Counters] of the worker there
          def counters(seat) = Metrics::Counters.new(@board, seat.index * LANES + seat.lane).open

          # @return [Metrics::Totals]
          def totals
            Metrics::Totals.new(@board,
              slots.flat_map { |slot| [slot[:pid], slot[:successor], *slot[:leaving]] }.compact)
          end

          # @return [Symbol]
          def state = status[:state]

          # @return [Array<Hash>]
          def workers
            slots.map do |slot|
              {slot: slot[:index], pid: slot[:pid], generation: slot[:generation],
               state: slot[:state], ready: slot[:state] == :ready,
               since: slot[:since], restarts: slot[:restarts], leaving: slot[:leaving],
               last_exit: slot[:last_exit], pss: slot[:pss]}
            end
          end

          # @return [Array<Hash>]
          def requests(slow)
            @turn.synchronize do
              answers = @answers[@round += 1] = Thread::Queue.new
              @supervisor.broadcast("in_flight", [@round, slow])
              collect(answers, slots.count { |slot| slot[:pid] })
            ensure
              @answers.delete(@round)
            end
          end

          # What workers have sent to the supervisor.
          # @return [void]
          def hear(name, data) = (@answers[data.first]&.push(data.last) if name == "in_flight")

          # In a worker: answers the above.
          # @return [void]
          def self.answer(seat, worker)
            seat.on_message(:in_flight) do |round, slow|
              seat.send(:in_flight, [round, worker.in_flight(slow)])
            end
          end

          private

          def collect(answers, count)
            finish = Clock.now + PATIENCE
            found = []
            while found.size < count && (answer = answers.pop(timeout: [finish - Clock.now, 0].max))
              found << answer
            end
            found
          end

          def status
            return @status if @status && Clock.now < @looked + FRESH

            @looked = Clock.now
            @status = @supervisor.status || {state: :booting, slots: []}
          end

          def slots = status[:slots]
        end
      end
    end
  end
end
