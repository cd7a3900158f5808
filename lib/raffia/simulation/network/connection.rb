# frozen_string_literal: true

require_relative "endpoint"
require_relative "stream"

module Raffia
  module Simulation
    class Network
      # A TCP connection: the handshake, then two streams.
      #
      # @api private
      class Connection
        attr_reader :client, :server

        # +client+: an endpoint that is connecting; +host+: where the server's address is, nil if
        # nobody has it.
        def initialize(network, client, host)
          @network = network
          @client = client
          @host = host
          @server = nil
          client.stream = stream(client.host, host) { |segment| at_server(segment) }
          client.stream.on_timeout = -> { timed_out(@client) }
        end

        def open = @client.stream.send(:syn)

        def endpoints = [@client, @server].compact

        def between?(one, other) = [@client.host, @host].tally == [one, other].tally

        def over? = @client.over? && (@server.nil? || @server.over?)

        private

        def stream(from, to, &) = Stream.new(@network, @network.link(from, to), &)

        def at_server(segment)
          return handshake if segment.kind == :syn

          pass(segment, @server)
        end

        # A SYN has arrived. A retransmission of it never comes after the first that was answered.
        def handshake
          listener = @network.table.listener(@host, @client.remote, @client.host)
          endpoint = Endpoint.new(@network, @host)
          transport = @network.transport
          wire = listener ? transport.dial(listener, endpoint.id, @network.buffer) : :refused
          return :lost if wire == :full

          back = stream(@host, @client.host) { |reply| at_client(reply) }
          return back.send(:rst) if wire == :refused

          establish(endpoint, wire, back)
        end

        def establish(endpoint, wire, back)
          endpoint.local = @client.remote
          endpoint.remote = @client.local
          endpoint.stream = back
          back.on_timeout = -> { timed_out(endpoint) }
          endpoint.peer = @client
          @client.peer = endpoint
          endpoint.accepted(wire)
          @network.table.add_peer(endpoint)
          @server = endpoint
          back.send(:syn_ack)
        end

        def at_client(segment)
          return pass(segment, @client) unless segment.kind == :syn_ack

          @client.established
          @network.world.interest.poll
        end

        # Those that wait for the socket can go on at once, not when nothing else can.
        def pass(segment, endpoint)
          endpoint.receive(segment)
          @network.world.interest.poll
        end

        def timed_out(endpoint)
          endpoint.reset(::Errno::ETIMEDOUT)
          @network.world.interest.poll
        end
      end
    end
  end
end
