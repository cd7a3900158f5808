# frozen_string_literal: true

require "socket"
require_relative "../web/connection"
require_relative "../web/document"

module Raffia
  module Lab
    class Service
      # A web server that takes its time over each answer: /MILLISECONDS/INDEX/BYTES is that
      # document, after so long. A fiber for each connection, because a thousand of them may wait at
      # once.
      class SlowWeb
        BACKLOG = 4_096

        # @param scope [Scope]
        # @return [Hash{Symbol => Integer}]
        def open(scope)
          reset
          @listener = TCPServer.new("127.0.0.1", 0)
          @listener.listen(BACKLOG)
          conversation = Web::Connection.new(method(:answer))
          scope.spawn do
            loop { @listener.accept.then { |client| scope.spawn { conversation.hold(client) } } }
          end
          {port: @listener.local_address.ip_port}
        end

        # @return [void]
        def reset
          @served = Hash.new(0)
          @waiting = @together = 0
        end

        # @return [Hash{Symbol => Integer}] answers, different documents, and how many clients
        #   waited at once
        def report = {served: @served.values.sum, different: @served.size, together: @together}

        # @return [void]
        def close = @listener&.close

        private

        def answer(env)
          milliseconds, index, bytes = env["PATH_INFO"].scan(/\d+/)
            .map { |number| Integer(number, 10) }
          @together = [@together, @waiting += 1].max
          sleep(milliseconds / 1_000.0)
          @waiting -= 1
          @served[index] += 1
          [200, {"content-type" => "text/plain"}, [Web::Document.text(index, bytes)]]
        end
      end
    end
  end
end
