# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../process/supervisor"
require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      # What load balancers, monitoring and people ask about workers.
      #
      # @api private
      module Status
        # Figures of worker processes. Their counters are in memory that the supervisor shares
        # with them. Of the store one of them is asked: the supervisor has not loaded the program.
        #
        # @api private
        class Cluster
          # The name of the question and of the answer.
          MESSAGE = "report"
          # Seconds that a worker has to answer.
          PATIENCE = 2
          # Seconds for which an answer stays good; longer when it took long.
          FRESH = 1
          SHARE = 20
          LONGEST = 15
          private_constant :PATIENCE, :FRESH, :SHARE, :LONGEST

          # In a worker: answers.
          # @param context [Process::Supervisor::WorkerContext]
          # @param worker [Worker]
          # @return [void]
          def self.answer(context, worker)
            context.on_message(MESSAGE) do |round, pid|
              if pid == ::Process.pid
                worker.report_later { |report| context.send(MESSAGE, [round, report]) }
              end
            end
          end

          # @return [Process::Supervisor, nil]
          attr_writer :supervisor

          def initialize
            @turn = Thread::Mutex.new
            @round = 0
            @until = 0
          end

          # @return [Hash] see {SharedMetrics.read}
          def figures
            boards = self.boards
            SharedMetrics.read(boards, living)
          end

          # @return [Hash, nil] see {Worker#report}; nil when no worker answers
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

          # What a worker has sent to the supervisor.
          # @return [void]
          def receive(name, data) = (@answers&.push(data) if name == MESSAGE)

          private

          def ask
            pid = boards.map { |board| SharedMetrics.pid(board) }
              .find { |one| living.include?(one) } or
              return
            round = @round += 1
            @answers = answers = ::Thread::Queue.new
            @supervisor.broadcast(MESSAGE, [round, pid])
            finish = Clock.now + PATIENCE
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

          # Those that a worker has ever written to.
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
