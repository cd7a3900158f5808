# frozen_string_literal: true

require "json"
require "socket"

module Raffia
  module Lab
    # A helper process: the other end of the sockets of an experiment. It has a process of its own
    # and runs on IO.select alone (a {ResourceServer} does not), so that it is no part of what is
    # measured. It announces its port on descriptor 3, takes `reset` and `report` as lines on
    # standard input, and ends when that is closed.
    class Service
      MODES = {smtp_sink: "SmtpSink", slow_server: "SlowServer", slow_web: "SlowWeb",
               mariadb: "MariaDB", corpus: "Corpus"}.freeze

      # Runs the helper with one of {MODES}. Returns the exit code.
      def self.main(name, input: $stdin, output: IO.for_fd(3))
        require_relative "service/#{name}"
        peer = const_get(MODES.fetch(name.to_sym)).new
        (peer.respond_to?(:received) ? new(peer, input, output) :
          resource_server.new(peer, input, output)).run
        0
      end

      # Loaded when needed: the other helpers need nothing but Ruby's standard library.
      def self.resource_server
        require_relative "service/resource_server"
        ResourceServer
      end
      private_class_method :resource_server

      # peer: answers accepted, received, due, tick, reset, report. A {ResourceServer}'s answers
      # open, reset, report, close.
      def initialize(peer, input, output)
        @peer = peer
        @input = input
        @output = output
        @clients = []
      end

      def run
        @server = TCPServer.new("127.0.0.1", 0)
        @server.listen(4096)
        say(port: @server.local_address.ip_port)
        nil while turn
      ensure
        [@server, *@clients].compact.each(&:close)
      end

      private

      def say(**event)
        @output.puts(JSON.generate(event))
        @output.flush
      end

      # Commands come first: a client that starts after a reset must find it done.
      def turn
        ready, = IO.select([@input, @server, *@clients], nil, nil, @peer.due)
        return @peer.tick unless ready
        return if ready.delete(@input) && !command(@input.gets&.chomp)
        accept if ready.delete(@server)
        ready.each { |client| serve(client) }
        @peer.tick
      end

      def command(line)
        case line
        when "reset" then @peer.reset
        when "report" then say(**@peer.report)
        else return
        end
        true
      end

      def accept
        loop do
          client = @server.accept_nonblock(exception: false)
          return if client == :wait_readable
          @clients << client
          @peer.accepted(client)
        end
      end

      def serve(client)
        data = client.read_nonblock(16_384, exception: false)
        return if data == :wait_readable
        drop(client) unless data && @peer.received(client, data)
      rescue SystemCallError, IOError
        drop(client)
      end

      def drop(client)
        @clients.delete(client)
        @peer.dropped(client)
        client.close
      end
    end
  end
end
