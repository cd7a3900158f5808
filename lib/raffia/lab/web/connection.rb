# frozen_string_literal: true

module Raffia
  module Lab
    # Parts of the experiments that serve or call the web.
    module Web
      # Serves HTTP/1 connections by a Rack application, as far as the experiments need it: requests
      # have no bodies, and their headers do not reach the application.
      class Connection
        END_OF_HEAD = "\r\n\r\n"
        REASONS = {200 => "OK", 404 => "Not Found", 500 => "Internal Server Error"}.freeze

        def initialize(app)
          @app = app
        end

        # Serves one client until it has gone, or closes. Returns the number of requests.
        def serve(client)
          served = 0
          while (head = client.gets(END_OF_HEAD))&.end_with?(END_OF_HEAD)
            answer(client, head)
            served += 1
            break unless keep_alive?(head)
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
          # One write: the kernel would hold back a second one until the client has acknowledged
          # the first.
          client.write("HTTP/1.1 #{status} #{REASONS[status]}\r\n#{lines}content-length: " \
            "#{text.bytesize}\r\n\r\n#{text}")
        end

        def env(head)
          method, target, protocol = head[0, head.index("\r\n")].split(" ", 3)
          path, query = target.split("?", 2)
          {"REQUEST_METHOD" => method, "SCRIPT_NAME" => "", "PATH_INFO" => path,
           "QUERY_STRING" => query.to_s, "SERVER_PROTOCOL" => protocol,
           "rack.url_scheme" => "http"}
        end

        # HTTP/1.1 keeps the connection by default, HTTP/1.0 closes it.
        def keep_alive?(head)
          head.include?(" HTTP/1.1\r\n") && !head.match?(/^connection: close\r$/i)
        end
      end
    end
  end
end
