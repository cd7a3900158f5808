# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/suspend_signal"
require_relative "../../process/supervisor"
require_relative "status/supervised"

module Raffia
  module Jobs
    class Worker
      # The life of a worker in a process that a supervisor keeps.
      #
      # @api private
      module Seated
        # What a supervisor of such processes understands besides: TSTP, which workers leave to it.
        # Ctrl-Z suspends all of them, until the shell continues them.
        # @param supervisor [Process::Supervisor]
        # @return [Hash{Symbol => #call}]
        def self.signals(supervisor)
          {TSTP: Process::SuspendSignal.handler { supervisor.broadcast("quiet") }}
        end

        # @param seat [Process::Supervisor::WorkerContext]
        # @param log [Logger, nil]
        # @yieldreturn [Worker]
        # @return [void]
        def self.run(seat, log)
          worker = yield
          seat.on_stop { worker.stop }
          seat.on_message("quiet") { worker.quiet }
          Status::Supervised.answer(seat, worker) if worker.respond_to?(:report)
          seat.on_message("dump") { Raffia.dump }
          Signals.with(chain: false, **Process::Supervisor::WorkerMain.signal_handlers(seat), TSTP: ->(_) {}) do
            worker.run { begun(seat) }
          end
        rescue Raffia::Error => error
          # a sentence says it; where in Raffia it comes from says nothing to anybody
          log&.fatal(error.message) if first?(seat)
          exit(1)
        end

        class << self
          private

          def begun(seat)
            complaints(seat) { |board, word| board[word] = 0 }
            seat.ready!
          end

          # What the next worker of this place finds is the same, a moment later: the supervisor
          # tells how often it was tried.
          def first?(seat)
            before = complaints(seat) { |board, word| board[word] }.sum
            complaints(seat) { |board, word| board.add(word) }
            before.zero?
          end

          # The last word of each board: whoever works beside us in other slots counts from the
          # first one on.
          def complaints(seat)
            seat.boards.of(seat.index).map { |board| yield board, seat.boards.words - 1 }
          end
        end
      end
    end
  end
end
