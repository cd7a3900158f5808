# frozen_string_literal: true

require_relative "../base/signals"

module Raffia
  class Server
    # One worker in this very process.
    #
    # @api private
    class Alone
      # The signals that mean: come to an end.
      STOP = %i[INT TERM QUIT].freeze
      private_constant :STOP

      # @return [Listening]
      attr_reader :listening

      def initialize(app, listening, options)
        require_relative "worker"
        @listening = listening
        @worker = Worker.new(app, listeners: listening.first, options: options)
        @asked = false
      end

      # @return [Integer] the exit code
      def run(&)
        Signals.with(chain: false, **STOP.to_h { |name| [name, ->(_) { stop }] }) { work(&) }
        0
      end

      # Serves in this thread, whatever thread that is.
      # @yieldparam listeners [Array<Listener>] once they are accepted from
      def work(&)
        @worker.run { yield listening.first if block_given? }
      ensure
        listening.close
      end

      # The first time the requests in flight are ended, the second time they are not waited for. Any thread may ask, and so may a trap.
      # @return [void]
      def stop
        how = @asked ? :now : :drain
        @asked = true
        @worker.stop(how)
      end
    end
  end
end
