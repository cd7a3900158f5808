# frozen_string_literal: true

require_relative "execution"
require_relative "observability/admin"
require_relative "observability/status_panel/single_process"
require_relative "worker"

module Raffia
  class Server
    # A server without worker processes: one worker in this very process.
    #
    # @api private
    class SingleProcess
      attr_reader :listening

      # @param metrics [#write, #stats, #trouble, nil] reports work other than serving
      def initialize(application, listening, options, hooks:, log:, metrics: nil)
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @metrics = metrics
        @asked = false
        @panel = Observability::StatusPanel::SingleProcess.new
      end

      # @raise [Exception] what the application raises while it is loaded
      def load = @application.load

      # Serves in this thread, whatever thread that is.
      # @yieldparam listeners [Array<Listen::Listener>] before connections are accepted from them
      def run(notifier = nil)
        @worker = make_worker(load, notifier)
        @worker.on_stop_accepting { listening.close }
        prepare if @worker.is_a?(Worker)
        @worker.stop if @asked
        admin = Observability::Admin.start(@panel, @options, @log, beside: @metrics)
        @worker.run do
          @panel.worker = @worker
          yield listening.first if block_given?
        end
        @hooks.call(:on_stop)
      ensure
        admin&.stop
        listening.close
      end

      # The first call ends the requests in flight, the second does not wait for them. From any
      # thread, and from a trap.
      def stop
        how = @asked ? :now : :drain
        @asked = true
        @worker&.stop(how)
      end

      # USR1: log files were moved away. QUIT: what do all fibers wait for?
      def signals = {USR1: ->(_) { @worker&.reopen }, QUIT: ->(_) { Raffia.dump }}

      # @return [Boolean] whether Ractors are left that cannot be ended
      def abandoned? = !!@worker&.abandoned?

      private

      def make_worker(app, notifier)
        options = Execution.settle(@application, @options, @log)
        Worker.for(app, listening.by_ractor(listening.slot(0)), options: options, log: @log,
          counters: @panel.counters, liveness: notifier)
      end

      # Ractors have no hooks inside.
      def prepare
        @worker.on_reopen { @hooks.call(:on_reopen) }
        @worker.run_beside(@hooks.all(:actors)) if @hooks.any?(:actors)
        return unless @hooks.any?(:on_error)

        @worker.context.on_error { |error, env| @hooks.call(:on_error, error, env) }
      end
    end
  end
end
