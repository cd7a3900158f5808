# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # Ends connections that are idle. One that was without bytes for so long is shut for reading,
      # not closed: bytes that the kernel has received until then are still served, so no request is
      # lost.
      #
      # @api private
      class IdleConnections
        # `quiet`: seconds.
        def initialize(connections, quiet)
          @connections = connections
          @quiet = quiet
          @idle = {}.compare_by_identity
        end

        # Called again and again.
        def stop_reading
          now = Clock.now
          @connections.each do |connection|
            mark = connection.idle_mark or next @idle.delete(connection)
            since, last = @idle[connection]
            next @idle[connection] = [now, mark] unless last == mark

            connection.stop_reading if now - since >= @quiet
          end
        end
      end
    end
  end
end
