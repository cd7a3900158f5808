# frozen_string_literal: true

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
        # Seconds beyond the workers' own timeout: to interrupt what is left, and to give it back.
        MARGIN = 8

        attr_reader :processes, :status

        # +load+ loads the application. The block gets a {Process::Supervisor::WorkerContext}, and
        # returns a {Worker} or anything else with run, stop and quiet.
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

        def drain_timeout = @timeout + MARGIN

        def sockets(_number) = @sockets

        def supervised_by(supervisor)
          @status.supervisor = @supervisor = supervisor
        end

        # Workers leave TSTP to the supervisor. Ctrl-Z suspends all of them.
        def signals = {TSTP: Process::SuspendSignal.handler { @supervisor.broadcast("quiet") }}

        def load = @load.call

        def receive(name, data) = @status.receive(name, data)

        def work(context, _loaded)
          worker = @make.call(context)
          follow(context, worker)
          handlers = Process::Supervisor::WorkerMain.signal_handlers(context)
          Signals.with(chain: false, **handlers, TSTP: ->(_) {}) do
            worker.run { ready(context) }
          end
        rescue Raffia::Error => error
          # A backtrace of Raffia's would say nothing more.
          @log&.fatal(error.message) if first_failure?(context)
          exit(1)
        end

        private

        def follow(context, worker)
          context.on_stop { worker.stop }
          context.on_message("quiet") { worker.quiet }
          context.on_message("dump") { Raffia.dump }
          Status::Cluster.answer(context, worker) if worker.respond_to?(:report)
        end

        def ready(context)
          failures(context) { |board, word| board[word] = 0 }
          context.ready!
        end

        # The next worker of this slot fails in the same way: the supervisor reports how often.
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
