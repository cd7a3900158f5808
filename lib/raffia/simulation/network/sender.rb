# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # Sends what a program writes to its TCP socket, as packets of at most the MTU.
      #
      # @api private
      class Sender
        # Bytes that are read at once. Linux's minimum is lower, but one segment of a page has to
        # fit.
        CHUNK = 65_536

        def initialize(endpoint)
          @endpoint = endpoint
          @network = endpoint.network
          @ended = false
        end

        # Whether the program's output has ended.
        def ended? = @ended

        # Whether the program may have written something, and there is room for it.
        def ready? = @endpoint.state == :open && !@ended && room.positive?

        # Sends what the program has written. Returns whether there was anything.
        def pump(wire)
          sent = false
          while ready?
            bytes = wire.read([room, CHUNK].min)
            return sent if bytes == :wait_readable

            sent = true
            bytes ? send_data(bytes) : end_of_output
          end
          sent
        end

        # Sends the rest of the output, and its end.
        def finish(wire)
          read_all(wire)
          fin
        end

        private

        def room = @network.window - stream.size - @endpoint.peer.backlog

        def stream = @endpoint.stream

        def send_data(bytes)
          bytes.bytesize.fdiv(@network.mtu).ceil.times do |index|
            stream.send(:data, bytes.byteslice(index * @network.mtu, @network.mtu))
          end
        end

        def end_of_output
          @endpoint.options.abort_on_close? ? @endpoint.abort : fin
        end

        def fin
          @ended = true
          stream.send(:fin)
        end

        def read_all(wire)
          while (bytes = wire.read(CHUNK)).is_a?(::String)
            send_data(bytes)
          end
        rescue ::SystemCallError
          nil
        end
      end
    end
  end
end
