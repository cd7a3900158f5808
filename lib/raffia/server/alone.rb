# frozen_string_literal: true

require_relative "../base/signals"
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
      end

      # @return [Integer] the exit code
      def run(&)
        Signals.with(chain: false, **STOP.to_h { |name| [name, ->(_) { stop }] }) { work(&) }
        leave(0)
      rescue WorkerDied => error
        @log.fatal(error.message)
        leave(1)
      end

      # Serves in this thread, whatever thread that is.
      # @yieldparam listeners [Array<Listener>] before connections are accepted from them
      # @return [void]
      def work
        @worker = Worker.for(@application.load, listening.lanes(listening.slot(0)), options: @options, log: @log)
        # Ractors have their listeners until the end.
        @worker.on_leave { listening.close } if @worker.is_a?(Worker)
        @worker.stop if @asked
        @worker.run { yield listening.first if block_given? }
        @hooks.call(:on_stop)
      ensure
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

      # With Ractors that cannot be ended Ruby's own way out may take for ever.
      def leave(code) = @worker.abandoned? ? ::Process.exit!(code) : code
    end
  end
end
