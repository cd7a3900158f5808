# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # A program's socket of the UNIX domain. It is the kernel's: both ends are in this process.
      # Its host closes it when it crashes.
      #
      # @api private
      class LocalSocket
        def initialize(io)
          @io = io
          @raw = KernelSocket.of(io)
        end

        def open? = @raw.open?

        def close
          @io.close
          @raw.disconnect
        rescue ::IOError, ::SystemCallError
          nil # closed by the program
        end
        alias_method :leave, :close
      end
    end
  end
end
