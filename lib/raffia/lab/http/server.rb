# frozen_string_literal: true

require "socket"

module Raffia
  module Lab
    class Http < Experiment
      # A minimal server: a fiber for each connection, one fixed answer, keep-alive.
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

        # Serves until the host stops it, and returns the counts.
        def run(backend, host)
          listener = TCPServer.new("127.0.0.1", 0)
          listener.listen(BACKLOG)
          serve(listener, backend) do
            host.announce(port: listener.local_address.ip_port)
            host.wait_for_stop
          end
        ensure
          listener&.close
        end

        # Serves a listener until the block returns.
        def serve(listener, backend = nil)
          Raffia.run(backend: backend) do |scope|
            accepting = scope.spawn { loop { start(listener.accept, scope) } }
            yield
            accepting.cancel
          end
          facts
        end

        # Serves connections that another Ractor has accepted: native integers, their descriptors.
        def serve_from(inbox)
          Raffia.run do |scope|
            while (descriptor = inbox.read(4))
              start(TCPSocket.for_fd(descriptor.unpack1("l")), scope)
            end
          end
          facts
        end

        private

        def facts = {served: @requests, connections: @connections}

        def start(client, scope)
          @connections += 1
          scope.spawn { converse(client) }
        end

        def converse(client)
          input = +""
          part = +""
          answer(client, input << part) while client.readpartial(4_096, part)
        rescue EOFError, SystemCallError
          nil # the client has gone; every connection ends so
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
