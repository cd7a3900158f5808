# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # Bytes that have arrived for a program's TCP socket, and have no room in it yet.
      #
      # @api private
      class ReceiveBuffer
        def initialize
          @bytes = +"".b
          @finished = @closed = false
        end

        def add(bytes) = @bytes << bytes

        # The peer sends nothing more.
        def finish = @finished = true

        # Bytes in it.
        def size = @bytes.bytesize

        # Whether the program's socket has been given everything, and its end.
        def closed? = @closed

        # Gives the socket what it has room for. Returns whether it took any.
        def write_to(wire)
          return false if @closed || (@bytes.empty? && !@finished)

          taken = false
          until @bytes.empty?
            count = wire.write(@bytes)
            return taken if count == :wait_writable

            @bytes = @bytes.byteslice(count..)
            taken = true
          end
          return taken unless @finished

          wire.close_write
          @closed = true
        end
      end
    end
  end
end
