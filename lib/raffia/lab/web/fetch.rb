# frozen_string_literal: true

require "socket"
require_relative "../../base/error"

module Raffia
  module Lab
    module Web
      # Gets a document of {Service::SlowWeb}.
      module Fetch
        # The server did not send the document.
        class Refused < Error; end

        module_function

        def net_http(path, port)
          answer = Net::HTTP.start("127.0.0.1", port) { |http| http.get(path) }
          return answer.body if answer.is_a?(Net::HTTPOK)
          raise Refused, "#{path} was answered by #{answer.code}"
        end

        # A plain client for Ractors: Net::HTTP needs Timeout, which belongs to the main one.
        def socket(path, port)
          server = TCPSocket.new("127.0.0.1", port)
          server.write("GET #{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
          head, body = server.read.split("\r\n\r\n", 2)
          return body if head.to_s.start_with?("HTTP/1.1 200 ")
          raise Refused, "#{path} was answered by #{head.to_s.lines.first.inspect}"
        ensure
          server&.close
        end
      end
    end
  end
end
