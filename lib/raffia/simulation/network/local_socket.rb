# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # A program's socket of the UNIX domain. It is the kernel's: both ends are in this process.
      # Its host closes it when it crashes.
      #
      # @api private
      class LocalSocket
        def initialize(io, world)
          @io = io
          @world = world
          @raw = KernelSocket.of(io)
        end

        def open? = @raw.open?

        # A thread of a crashed host that waits for it cannot leave its wait before the run is over.
        def close
          return @raw.shutdown if @world.interest.waited_for?(@io)

          KernelSocket.call(:close, @io)
          @raw.disconnect
        rescue ::IOError, ::SystemCallError
          nil # closed by the program
        end
        alias_method :leave, :close
      end
    end
  end
end
