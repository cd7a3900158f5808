# frozen_string_literal: true

require "socket"

module Raffia
  module Lab
    class Http < Experiment
      # As small a server as can stand under load: a fiber for each connection, one fixed answer, keep-alive.
      class Server
        BODY = "Hello from Raffia's lab.\n"
        ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: #{BODY.bytesize}\r\n\r\n#{BODY}".freeze
        END_OF_HEAD = "\r\n\r\n"

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
          Raffia.run(backend: backend) do |scope|
            listener = TCPServer.new("127.0.0.1", 0)
            listener.listen(4_096)
            accepting = scope.spawn { accept(listener, scope) }
            host.announce(port: listener.local_address.ip_port)
            host.wait_for_stop
            accepting.cancel
            listener.close
          end
          {served: @requests, connections: @connections}
        end

        private

        def accept(listener, scope)
          loop do
            client = listener.accept
            @connections += 1
            scope.spawn { serve(client) }
          end
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
