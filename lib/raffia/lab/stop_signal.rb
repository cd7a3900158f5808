# frozen_string_literal: true

require_relative "../base/signals"

module Raffia
  module Lab
    # A request to stop, by Ctrl-C or SIGTERM, that can be waited for. A handler that raises would
    # interrupt any code, even the one that ends the children.
    class StopSignal
      SIGNALS = {INT: 130, TERM: 143}.freeze

      # Raised where the lab waits, when it has been told to stop.
      class Requested < StandardError; end

      # @return [IO] readable from the moment on when a stop is requested
      attr_reader :io

      # @return [Integer, nil] the exit code of a stop; nil until one is requested
      attr_reader :code

      # Listen for signals while the block runs.
      #
      # @yieldparam stop [StopSignal]
      # @return [Object] the block's value
      def self.listen
        stop = new
        handlers = SIGNALS.to_h { |name, code| [name, proc { stop.request(code) }] }
        Signals.with(**handlers) { yield stop }
      ensure
        stop&.close
      end

      def initialize
        @io, @writer = IO.pipe
      end

      # Safe in a signal handler: no lock is taken.
      #
      # @param code [Integer]
      # @return [void]
      def request(code = SIGNALS.fetch(:INT))
        @code ||= code
        @writer.write_nonblock(".", exception: false)
      end

      # @return [Boolean]
      def requested? = !@code.nil?

      # @return [void]
      # @raise [Requested]
      def check
        raise Requested if requested?
      end

      # @return [void]
      def close
        @io.close
        @writer.close
      end
    end
  end
end
