# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/suspend_signal"
require_relative "../../process/supervisor"
require_relative "../../service/role"
require_relative "status/cluster"

module Raffia
  module Jobs
    class Worker
      # Worker processes that do jobs, and what their supervisor does for them.
      #
      # @api private
      class Role < Service::Role
        # Seconds that a worker has beyond its own timeout: to interrupt what is left, and to give
        # it back.
        MARGIN = 8

        # @return [Integer]
        attr_reader :processes
        # @return [Status::Cluster]
        attr_reader :status

        # @param processes [Integer]
        # @param timeout [Numeric] seconds, of the workers
        # @param load [#call] loads the application
        # @param log [Logger]
        # @param sockets [Array<IO>] of each slot
        # @yieldparam context [Process::Supervisor::WorkerContext]
        # @yieldreturn [Worker] or anything else with run, stop and quiet
        def initialize(processes:, timeout:, load:, log:, sockets: [], &make)
          super()
          @processes = processes
          @timeout = timeout
          @load = load
          @log = log
          @sockets = sockets
          @make = make
          @status = Status::Cluster.new
        end

        # @return [Numeric]
        def drain_timeout = @timeout + MARGIN

        # @return [Array<IO>]
        def sockets(_number) = @sockets

        # @return [void]
        def supervised_by(supervisor)
          @status.supervisor = @supervisor = supervisor
        end

        # TSTP, which workers leave to the supervisor. Ctrl-Z suspends all of them, until the shell
        # continues them.
        # @return [Hash{Symbol => #call}]
        def signals = {TSTP: Process::SuspendSignal.handler { @supervisor.broadcast("quiet") }}

        # @return [void]
        def load = @load.call

        # @return [void]
        def receive(name, data) = @status.receive(name, data)

        # @return [void]
        def work(context, _loaded)
          worker = @make.call(context)
          obey(context, worker)
          handlers = Process::Supervisor::WorkerMain.signal_handlers(context)
          Signals.with(chain: false, **handlers, TSTP: ->(_) {}) do
            worker.run { ready(context) }
          end
        rescue Raffia::Error => error
          # The sentence says it; a backtrace of Raffia's would say nothing more.
          @log&.fatal(error.message) if first_failure?(context)
          exit(1)
        end

        private

        def obey(context, worker)
          context.on_stop { worker.stop }
          context.on_message("quiet") { worker.quiet }
          context.on_message("dump") { Raffia.dump }
          Status::Cluster.answer(context, worker) if worker.respond_to?(:report)
        end

        def ready(context)
          failures(context) { |board, word| board[word] = 0 }
          context.ready!
        end

        # The next worker of this slot fails in the same way a moment later: the supervisor tells
        # how often it was tried.
        def first_failure?(context)
          before = failures(context) { |board, word| board[word] }.sum
          failures(context) { |board, word| board.add(word) }
          before.zero?
        end

        # In the last word of each board. Others count from the first word on.
        def failures(context)
          context.boards.of(context.index).map { |board| yield board, context.boards.words - 1 }
        end
      end
    end
  end
end
