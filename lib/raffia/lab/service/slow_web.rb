# frozen_string_literal: true

require "socket"
require_relative "../web/connection"

module Raffia
  module Lab
    class Service
      # A slow web server: /MILLISECONDS/INDEX/BYTES is a document, answered after so long. Each
      # connection has a fiber, because a thousand of them may wait at once.
      class SlowWeb
        BACKLOG = 4_096
        # Larger than deflate's window of 32 KiB.
        BLOCK = 65_536

        # A text that clients can compute, too, to check that it arrived whole. It is as different
        # from the others as hexadecimal digits can be.
        def self.document(index, bytes)
          block = Random.new(index).bytes([bytes, BLOCK].min.ceildiv(2)).unpack1("H*")
          (block * bytes.ceildiv(block.bytesize)).byteslice(0, bytes)
        end

        def open(scope)
          reset
          @listener = TCPServer.new("127.0.0.1", 0)
          @listener.listen(BACKLOG)
          connection = Web::Connection.new(method(:answer))
          scope.spawn do
            loop { @listener.accept.then { |client| scope.spawn { connection.serve(client) } } }
          end
          {port: @listener.local_address.ip_port}
        end

        def reset
          @served = Hash.new(0)
          @waiting = @together = 0
        end

        # Answers, different documents, and the most clients that waited at once.
        def report = {served: @served.values.sum, different: @served.size, together: @together}

        def close = @listener&.close

        private

        def answer(env)
          milliseconds, index, bytes = env["PATH_INFO"].scan(/\d+/)
            .map { |number| Integer(number, 10) }
          @together = [@together, @waiting += 1].max
          sleep(milliseconds / 1_000.0)
          @waiting -= 1
          @served[index] += 1
          [200, {"content-type" => "text/plain"}, [SlowWeb.document(index, bytes)]]
        end
      end
    end
  end
end
