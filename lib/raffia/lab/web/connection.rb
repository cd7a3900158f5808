# frozen_string_literal: true

module Raffia
  module Lab
    # The servers and applications of those experiments that serve the web.
    module Web
      # One connection on which a client speaks HTTP/1 and a Rack application answers. As much of
      # both as the experiments need: requests have no bodies, and what the client says about itself
      # does not reach the application.
      class Connection
        END_OF_HEAD = "\r\n\r\n"
        REASONS = {200 => "OK", 404 => "Not Found", 500 => "Internal Server Error"}.freeze

        # @param app [#call] takes an env, gives status, headers and body
        def initialize(app)
          @app = app
        end

        # Answer until the client has gone, or does not want to stay.
        #
        # @param client [IO]
        # @return [Integer] how many requests were answered
        def hold(client)
          served = 0
          while (head = client.gets(END_OF_HEAD))&.end_with?(END_OF_HEAD)
            answer(client, head)
            served += 1
            break unless stays?(head)
          end
          served
        rescue SystemCallError
          served # the client has gone
        ensure
          client.close
        end

        private

        def answer(client, head)
          status, headers, body = @app.call(env(head))
          text = body.join
          lines = headers.map { |name, value| "#{name}: #{value}\r\n" }.join
          # In one piece: the kernel would keep the second of two until the client has acknowledged
          # the first.
          client.write("HTTP/1.1 #{status} #{REASONS[status]}\r\n#{lines}content-length: " \
            "#{text.bytesize}\r\n\r\n#{text}")
        end

        def env(head)
          method, target, protocol = head[0, head.index("\r\n")].split(" ", 3)
          path, query = target.split("?", 2)
          {"REQUEST_METHOD" => method, "SCRIPT_NAME" => "", "PATH_INFO" => path,
           "QUERY_STRING" => query.to_s,
           "SERVER_PROTOCOL" => protocol, "rack.url_scheme" => "http"}
        end

        # HTTP/1.1 keeps the connection unless it is said otherwise, HTTP/1.0 closes it.
        def stays?(head) = head.include?(" HTTP/1.1\r\n") && !head.match?(/^connection: close\r$/i)
      end
    end
  end
end
