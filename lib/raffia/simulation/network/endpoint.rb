# frozen_string_literal: true

require_relative "options"
require_relative "receive_buffer"
require_relative "sender"

module Raffia
  module Simulation
    class Network
      # One TCP socket of a program, as the network knows it.
      #
      # The program's socket is connected to {#wire}. What it writes is read there and sent; what
      # arrives is written there. Both are bounded, so a program that does not read holds up its
      # peer.
      #
      # @api private
      class Endpoint
        # The endpoint of a program's socket, or false.
        VARIABLE = :@raffia_simulated_endpoint

        # `raw`: another object for the program's descriptor; nil until it is accepted.
        attr_reader :network, :host, :io, :raw, :id, :options, :state, :error
        attr_accessor :local, :remote, :peer
        # The stream to the peer.
        attr_accessor :stream

        # +state+: :idle, :listening, :connecting, :open, :ended or :failed.
        def initialize(network, host, raw = nil)
          @network = network
          @host = host
          @raw = raw
          @state = :idle
          @id = network.next_id
          @options = Options.new(self)
          @sender = Sender.new(self)
          @received = ReceiveBuffer.new
        end

        # Takes the program's IO object.
        def io=(io)
          @io = io
          @raw ||= KernelSocket.of(io).tap { |raw| raw.buffer = @network.buffer }
          io.instance_variable_set(VARIABLE, self)
          host.opened(self)
          reset(@error) if @state == :failed
        end

        def listen = @state = :listening

        def connecting(wire)
          @wire = wire
          @state = :connecting
        end

        def established
          @network.transport.open(@raw, @wire, @network.buffer)
          @state = :open
        end

        # The network's end of a connection that a listening socket takes.
        def accepted(wire)
          @wire = wire
          @state = :open
        end

        # The network's end, if the program may have written something and there is room for it.
        def readable = (@wire if @sender.ready?)

        # Sends what the program has written. Returns whether there was anything.
        def pump
          @sender.pump(@wire)
        rescue ::SystemCallError
          abort # the program closed it with unread bytes
          true
        end

        # Before the program shuts its output down. The byte stays unread at the wire: a reset must
        # still be possible.
        def half_close
          return if @sender.ended? || @state != :open

          @sender.finish(@wire)
          @raw.write("\0")
        end

        # A segment from the peer.
        def receive(segment)
          return reset_by_peer if segment.kind == :rst
          return refuse unless @wire && @state != :failed

          (segment.kind == :fin) ? @received.finish : @received.add(segment.bytes)
          flush
        end

        # Bytes for the program that it has no room for yet.
        def backlog = @received.size

        # Gives the program what has arrived. Returns whether it took any.
        def flush
          @wire ? @received.write_to(@wire) : false
        rescue ::SystemCallError
          refuse # the program has closed it
          true
        end

        # Ends the connection as a program's socket sees a RST: reading raises ECONNRESET.
        def reset(error)
          @error = error
          @state = :failed
          @stream&.close
          return unless @wire && @io # else when the program accepts it

          leave_unread_byte
          @wire.close
          @wire = nil
        end

        # Ends the connection for both sides.
        def break = [self, @peer].compact.each { |endpoint| endpoint.reset(::Errno::ECONNRESET) }

        # Sends a RST, and forgets the connection.
        def abort
          @stream&.send(:rst)
          vanish
        end

        # Forgets the connection without a word to the peer.
        def vanish
          @stream&.close if @state == :connecting
          @wire&.close
          @wire = nil
          @state = :ended
        end

        # The connection has ended in both directions.
        def dispose
          return if @wire.nil?

          # An unread byte would be a reset.
          nil while @wire.read(Sender::CHUNK).is_a?(::String)
        rescue ::SystemCallError
          nil
        ensure
          vanish
        end

        def type = :tcp

        def local_address = @local || Address.new("0.0.0.0", 0)

        def remote_address
          raise ::Errno::ENOTCONN, "getpeername(2)" if @remote.nil? || @state == :connecting

          @remote
        end

        # The same as SO_ERROR: each error is reported once.
        def take_error
          @error.tap { @error = nil }
        end

        def to_s = "#{local_address}#{" -> #{@remote}" if @remote}"

        # Nothing can happen any more.
        def over? = @wire.nil? || (@sender.ended? && @received.closed?)

        def close
          @wire&.close
          @wire = nil
          leave if @io
        end

        # Closes the program's socket, as the end of a process does. A connection that a thread of a
        # crashed host waits for is shut down: the thread cannot leave its wait before.
        def leave
          return @raw.shutdown if @state != :listening && @network.world.interest.waited_for?(@io)

          KernelSocket.call(:close, @io)
          @raw.disconnect
        rescue ::IOError, ::SystemCallError
          nil # closed by the program
        end

        # Whether the program has the socket open.
        def open? = @raw.open?

        private

        # Something came for a socket that is closed.
        def refuse
          @stream.send(:rst)
          vanish
        end

        def reset_by_peer
          reset((@state == :connecting) ? ::Errno::ECONNREFUSED : ::Errno::ECONNRESET)
        end

        def leave_unread_byte
          @raw.write("\0") if @raw.open?
        rescue ::SystemCallError, ::IOError
          nil # shut down by the program: an unread byte is there
        end
      end
    end
  end
end
