# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Requests that wait, in a queue for each connection. Connections are served in turn, so one
      # with a hundred streams of HTTP/2 does not keep out the others.
      #
      # @api private
      class FairQueue
        attr_reader :size

        def initialize
          # Since when each request of a connection waits, in order. The connection whose turn is
          # next comes first, and none is empty.
          @connections = {}.compare_by_identity
          @size = 0
        end

        def empty? = @size.zero?

        # How many connections have requests here.
        def connections = @connections.size

        # `since`: seconds by {Clock}.
        def push(request, connection, since)
          (@connections[connection] ||= {}.compare_by_identity)[request] = since
          @size += 1
        end

        # Returns the request whose turn is next, and removes it; nil when there is none.
        def shift
          connection, requests = @connections.shift
          return unless requests

          request, = requests.shift
          @connections[connection] = requests unless requests.empty?
          @size -= 1
          request
        end

        # Removes one that gives up, unless its turn has come.
        def delete(request, connection)
          requests = @connections[connection]
          return unless requests&.delete(request)

          @connections.delete(connection) if requests.empty?
          @size -= 1
        end

        # Since when the request whose turn is next waits; nil when there is none.
        def next_since = @connections.first&.last&.first&.last

        # Since when the one waits that has waited longest; nil when there is none.
        def oldest = @connections.each_value.map { |requests| requests.first.last }.min
      end
    end
  end
end
