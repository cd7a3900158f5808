# frozen_string_literal: true

require "socket"

module Raffia
  module Lab
    class Http < Experiment
      # As small a server as can stand under load: a fiber for each connection, one fixed answer,
      # keep-alive.
      class Server
        BODY = "Hello from Raffia's lab.\n"
        ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " \
          "#{BODY.bytesize}\r\n\r\n#{BODY}".freeze
        END_OF_HEAD = "\r\n\r\n"
        BACKLOG = 4_096

        def initialize
          @requests = 0
          @connections = 0
        end

        # Serve until the host says stop.
        #
        # @param backend [Symbol]
        # @param host [Child::Host]
        # @return [Hash{Symbol => Integer}]
        def run(backend, host)
          listener = TCPServer.new("127.0.0.1", 0)
          listener.listen(BACKLOG)
          attend(listener, backend) do
            host.announce(port: listener.local_address.ip_port)
            host.wait_for_stop
          end
        ensure
          listener&.close
        end

        # Serve who comes to a listener until the block returns.
        #
        # @param listener [TCPServer]
        # @param backend [Symbol, nil]
        # @return [Hash{Symbol => Integer}]
        def attend(listener, backend = nil)
          Raffia.run(backend: backend) do |scope|
            accepting = scope.spawn { loop { take(listener.accept, scope) } }
            yield
            accepting.cancel
          end
          facts
        end

        # Serve those whom somebody else has accepted, until no more of them come.
        #
        # @param inbox [IO] one descriptor after the other, in the machine's own form
        # @return [Hash{Symbol => Integer}]
        def adopt(inbox)
          Raffia.run do |scope|
            while (descriptor = inbox.read(4))
              take(TCPSocket.for_fd(descriptor.unpack1("l")), scope)
            end
          end
          facts
        end

        private

        def facts = {served: @requests, connections: @connections}

        def take(client, scope)
          @connections += 1
          scope.spawn { serve(client) }
        end

        def serve(client)
          input = +""
          part = +""
          answer(client, input << part) while client.readpartial(4_096, part)
        rescue EOFError, SystemCallError
          nil # the client has gone, which is how each of its conversations ends
        ensure
          client.close
        end

        def answer(client, input)
          while (stop = input.index(END_OF_HEAD))
            input.slice!(0, stop + END_OF_HEAD.size)
            @requests += 1
            client.write(ANSWER)
          end
        end
      end
    end
  end
end
