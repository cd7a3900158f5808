# frozen_string_literal: true

require_relative "../../../process/supervisor"
require_relative "../run_counts"
require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      # Figures for load balancers, monitoring and people.
      # @api private
      module Status
        # Figures of worker processes. Their counters are in shared memory. A worker answers for the
        # store, because the supervisor has not loaded the program.
        # @api private
        class Cluster
          MESSAGE = "report"
          COUNTS = "counts"
          # Seconds that a worker has to answer.
          TIMEOUT = 2
          # Seconds for which an answer stays good; longer when it took long.
          FRESH = 1
          SHARE = 20
          LONGEST = 15
          private_constant :COUNTS, :TIMEOUT, :FRESH, :SHARE, :LONGEST

          def self.answer(context, worker)
            worker.on_counts { |rows| context.send(COUNTS, rows) }
            context.on_message(MESSAGE) do |round, pid|
              if pid == ::Process.pid
                worker.report_later { |report| context.send(MESSAGE, [round, report]) }
              end
            end
          end

          attr_writer :supervisor

          def initialize
            @turn = Thread::Mutex.new
            @round = 0
            @counts = RunCounts.new
            @until = 0
          end

          # See {SharedMetrics.read}.
          def figures = SharedMetrics.read(boards, living)

          # See {RunCounts#to_h}.
          def counts = @counts.to_h

          # See {Worker#report}; nil when no worker answers.
          def report
            @turn.synchronize do
              next @report if Clock.now < @until

              began = Clock.now
              @report = ask
              took = Clock.now - began
              @until = Clock.now + (@report ? (took * SHARE).clamp(FRESH, LONGEST) : 0)
              @report
            end
          end

          # From a worker.
          def receive(name, data)
            case name
            when MESSAGE then @answers&.push(data)
            when COUNTS then @counts.add(data)
            end
          end

          private

          def ask
            pid = (boards.map { |board| SharedMetrics.pid(board) } & living).first or return
            round = @round += 1
            @answers = answers = ::Thread::Queue.new
            @supervisor.broadcast(MESSAGE, [round, pid])
            finish = Clock.now + TIMEOUT
            while (answer = answers.pop(timeout: [finish - Clock.now, 0].max))
              return answer.last if answer.first == round
            end
          ensure
            @answers = nil
          end

          def slots = @supervisor&.status&.fetch(:slots) || []

          def living
            slots.flat_map { |slot| [slot[:pid], slot[:successor], *slot[:leaving]] }.compact
          end

          # Boards that a worker has written to.
          def boards
            all = @supervisor&.boards or return []
            slots.flat_map { |slot| all.of(slot[:index]) }
              .reject { |board| SharedMetrics.pid(board).zero? }
          end
        end
      end
    end
  end
end
