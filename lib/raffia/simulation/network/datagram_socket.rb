# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # One UDP socket of a program, as the network knows it. Datagrams may be lost, and may come in
      # another order. Those to a port that nobody has bound are dropped without an error.
      #
      # @api private
      class DatagramSocket
        # Bytes that wait for the program at most: Linux's default.
        ROOM = 212_992
        LONGEST = 65_507
        private_constant :ROOM, :LONGEST

        attr_reader :network, :host, :io, :raw, :id, :remote, :options
        attr_accessor :local

        def initialize(network, host, raw)
          @network = network
          @host = host
          @raw = raw
          @id = network.next_id
          @options = Options.new(self)
          @inbox = []
          @waiting = 0
        end

        def type = :udp

        def state = @remote ? :open : :idle

        def io=(io)
          @io = io
          io.instance_variable_set(Endpoint::VARIABLE, self)
          host.opened(self)
        end

        def local_address = @local || Address.new("0.0.0.0", 0)

        def remote_address = @remote || raise(::Errno::ENOTCONN, "getpeername(2)")

        def take_error = nil

        def half_close = nil

        def to_s = local_address.to_s

        # Sets the address of writes without one.
        def connect(remote)
          @remote = remote
          @wire ||= @network.transport.datagrams(@raw, @id)
        end

        # Sends what the program has written. Returns whether there was anything.
        def pump
          sent = false
          while @wire && (bytes = @wire.read(LONGEST)) != :wait_readable
            send(bytes.to_s, @remote)
            sent = true
          end
          flush || sent
        rescue ::SystemCallError
          sent
        end

        def send(bytes, address)
          if bytes.bytesize > LONGEST
            raise ::Errno::EMSGSIZE, "sendto(2) for #{address}: #{bytes.bytesize} bytes"
          end

          @network.datagrams.post(self, address, bytes)
          bytes.bytesize
        end

        # A datagram from another socket.
        def receive(bytes, from)
          return if (@remote && from != @remote) || @waiting + bytes.bytesize > ROOM

          @inbox << [bytes, from]
          @waiting += bytes.bytesize
          flush
        end

        def open? = !@left && @raw.open?

        # A thread of a crashed host that waits for it cannot leave its wait before the run is over.
        def close
          @left = true
          @wire&.close
          return if @network.world.interest.waited_for?(@io)

          KernelSocket.call(:close, @io)
          @raw.disconnect
        rescue ::IOError, ::SystemCallError
          nil # closed by the program
        end
        alias_method :leave, :close

        private

        # Gives the program what it has room for. Returns whether there was anything.
        def flush
          given = false
          while (bytes, from = @inbox.first)
            sender = @remote ? @wire : @network.transport.sender(from.to_s)
            break if sender.send_to(bytes, kernel_address) == :full

            @inbox.shift
            @waiting -= bytes.bytesize
            given = true
          end
          given
        end

        def kernel_address = @network.transport.address(@host.name_of(local.port, type))
      end
    end
  end
end
