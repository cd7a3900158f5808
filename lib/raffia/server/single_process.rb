# frozen_string_literal: true

require_relative "execution"
require_relative "observability/status_panel/single_process"
require_relative "worker_factory"

module Raffia
  class Server
    # A server without worker processes: one worker in this process.
    #
    # @api private
    class SingleProcess
      attr_reader :listening

      # The block may serve the state of the panel, and returns the handle to stop.
      def initialize(application, listening, options, hooks:, log:, &report_health)
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @report_health = report_health
        @asked = false
        @panel = Observability::StatusPanel::SingleProcess.new(
          Admission::ClientRates.memory(options)
        )
      end

      def load = @application.load

      # Serves in the calling thread. Yields the listeners before the first accept.
      def run(notifier = nil)
        @worker = make_worker(load, notifier)
        @worker.on_stop_accepting { listening.close }
        prepare if @worker.is_a?(Worker)
        @worker.stop if @asked
        health = @report_health&.call(@panel)
        @worker.run do
          @panel.worker = @worker
          yield listening.first if block_given?
        end
        @hooks.call(:on_stop)
      ensure
        health&.stop
        listening.close
      end

      # The first call drains, the second stops at once. Safe in any thread and in a trap.
      def stop
        how = @asked ? :now : :drain
        @asked = true
        @worker&.stop(how)
      end

      # USR1 reopens log files, QUIT dumps the state of all fibers.
      def signals = {USR1: ->(_) { @worker&.reopen }, QUIT: ->(_) { Raffia.dump }}

      # Whether Ractors are left that cannot be ended.
      def abandoned? = !!@worker&.abandoned?

      private

      def make_worker(app, notifier)
        options = Execution.settle(@application, @options, @log)
        WorkerFactory.build(app, listening.by_ractor(listening.slot(0)), options: options,
          log: @log, counters: @panel.counters, liveness: notifier)
      end

      # Hooks do not run inside of Ractors.
      def prepare
        @worker.on_reopen { @hooks.call(:on_reopen) }
        @worker.use(@hooks)
      end
    end
  end
end
