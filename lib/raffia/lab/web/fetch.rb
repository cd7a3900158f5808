# frozen_string_literal: true

require "socket"
require_relative "../../base/error"

module Raffia
  module Lab
    module Web
      # Gets a document of the {SlowWeb}.
      module Fetch
        # The server did not answer what it was asked for.
        class Refused < Error; end

        module_function

        # The usual way.
        #
        # @param path [String]
        # @param port [Integer]
        # @return [String]
        # @raise [Refused]
        def net_http(path, port)
          answer = Net::HTTP.start("127.0.0.1", port) { |http| http.get(path) }
          if answer.is_a?(Net::HTTPOK)
            answer.body
          else
            raise(Refused, "#{path} was answered by #{answer.code}")
          end
        end

        # By hand, for Ractors: Net::HTTP needs Timeout, which belongs to the main one.
        #
        # @param path [String]
        # @param port [Integer]
        # @return [String]
        # @raise [Refused]
        def socket(path, port)
          server = TCPSocket.new("127.0.0.1", port)
          server.write("GET #{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
          head, body = server.read.split("\r\n\r\n", 2)
          if head.to_s.start_with?("HTTP/1.1 200 ")
            body
          else
            raise(Refused, "#{path} was answered by #{head.to_s.lines.first.inspect}")
          end
        ensure
          server&.close
        end
      end
    end
  end
end
