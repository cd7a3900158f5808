# frozen_string_literal: true

require_relative "../base/signals"
require_relative "admin"
require_relative "panel"
require_relative "worker"

module Raffia
  class Server
    # One worker in this very process.
    #
    # @api private
    class Alone
      # The signals that mean: come to an end.
      STOP = %i[INT TERM].freeze
      private_constant :STOP

      # @return [Listening]
      attr_reader :listening

      # @param application [Application]
      # @param listening [Listening]
      # @param options [Options]
      # @param hooks [Hooks]
      # @param log [Logger]
      def initialize(application, listening, options, hooks:, log:)
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @asked = false
        @panel = Panel::Alone.new
      end

      # @return [Integer] the exit code
      def run(&)
        handlers = {**STOP.to_h { |name| [name, ->(_) { stop }] }, USR1: ->(_) { @worker&.reopen }}
        Signals.with(chain: false, **handlers) { work(&) }
        leave(0)
      rescue WorkerDied => error
        @log.fatal(error.message)
        leave(1)
      end

      # Serves in this thread, whatever thread that is.
      # @yieldparam listeners [Array<Listener>] before connections are accepted from them
      # @return [void]
      def work
        @worker = Worker.for(@application.load, listening.lanes(listening.slot(0)), options: @options, log: @log, ledger: @panel.ledger)
        # Ractors have their listeners until the end.
        @worker.on_leave { listening.close } if @worker.is_a?(Worker)
        @worker.stop if @asked
        admin = Admin.start(@panel, @options, @log)
        @worker.run { begun { yield listening.first if block_given? } }
        @hooks.call(:on_stop)
      ensure
        admin&.stop
        listening.close
      end

      # The first time the requests in flight are ended, the second time they are not waited for. Any thread may ask, and so may a trap.
      # @return [void]
      def stop
        how = @asked ? :now : :drain
        @asked = true
        @worker&.stop(how)
      end

      private

      def begun
        @panel.worker = @worker
        yield
      end

      # With Ractors that cannot be ended Ruby's own way out may take for ever.
      def leave(code) = @worker.abandoned? ? ::Process.exit!(code) : code
    end
  end
end
