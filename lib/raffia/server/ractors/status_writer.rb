# frozen_string_literal: true

require_relative "../../process/framed_pipe"

module Raffia
  class Server
    module Ractors
      # Sends a Ractor's state to the main Ractor, as frames in a pipe. Safe for several fibers.
      #
      # @api private
      class StatusWriter
        READY = "ready"
        HEARTBEAT = "heartbeat"
        STOPPED_ACCEPTING = "stopped_accepting"
        IN_FLIGHT = "in_flight "
        private_constant :IN_FLIGHT

        # Nil for another message.
        def self.in_flight(message)
          (if message.start_with?(IN_FLIGHT)
             ::Marshal.load(message.byteslice(IN_FLIGHT.bytesize..))
           end)
        end

        def initialize(io)
          @writer = Process::FramedPipe::Writer.new(io)
          @lock = ::Thread::Mutex.new
        end

        # Returns false when the reader has gone. Other messages than the constants are errors.
        def write(message) = @lock.synchronize { @writer.write(message) }

        def write_in_flight(requests) = write(IN_FLIGHT + ::Marshal.dump(requests))
      end
    end
  end
end
