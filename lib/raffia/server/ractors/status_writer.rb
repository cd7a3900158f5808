# frozen_string_literal: true

require_relative "../../process/framed_pipe"

module Raffia
  class Server
    module Ractors
      # Sends a Ractor's state to the main Ractor, as frames in a pipe. Several fibers may write.
      #
      # @api private
      class StatusWriter
        READY = "ready"
        HEARTBEAT = "heartbeat"
        # It no longer accepts.
        STOPPED_ACCEPTING = "stopped_accepting"
        # Prefix of its requests in flight.
        IN_FLIGHT = "in_flight "
        private_constant :IN_FLIGHT

        # @return [Hash, nil] as {Observability::InFlightRequests#to_h}; nil: another message
        def self.in_flight(message)
          (if message.start_with?(IN_FLIGHT)
             ::Marshal.load(message.byteslice(IN_FLIGHT.bytesize..))
           end)
        end

        def initialize(io)
          @writer = Process::FramedPipe::Writer.new(io)
          @lock = ::Thread::Mutex.new
        end

        # @param message [String] one of the constants, or an error message
        # @return [Boolean] false when the reader has gone
        def write(message) = @lock.synchronize { @writer.write(message) }

        # @param requests [Hash] as {Observability::InFlightRequests#to_h}
        # @return [Boolean]
        def write_in_flight(requests) = write(IN_FLIGHT + ::Marshal.dump(requests))
      end
    end
  end
end
