# frozen_string_literal: true

require_relative "../base/signals"

module Raffia
  module Lab
    # A request to stop, by Ctrl-C or SIGTERM, that can be waited for. A handler that raises would
    # interrupt any code, even the code that ends the children.
    class StopSignal
      SIGNALS = {INT: 130, TERM: 143}.freeze

      # Raised where the lab waits, after a request to stop.
      class Requested < StandardError; end

      # Readable after a request.
      attr_reader :io

      # The exit code of a stop; nil until one is requested.
      attr_reader :code

      # Handles signals while the block runs.
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
      def request(code = SIGNALS.fetch(:INT))
        @code ||= code
        @writer.write_nonblock(".", exception: false)
      end

      def requested? = !@code.nil?

      def check
        raise Requested if requested?
      end

      def close
        @io.close
        @writer.close
      end
    end
  end
end
