# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Accepts connections at a Unix socket until it is closed. A forked child closes it.
      class Acceptor
        # Seconds until it is tried again when there are too many open files.
        PAUSE = 0.1
        private_constant :PAUSE

        def initialize(address)
          @path = address.path
          @server = address.listen
          @fork = Fork.after_child { @server.close }
        end

        def run
          loop { yield @server.accept }
        rescue Errno::ECONNABORTED
          retry # whoever it was has gone already
        rescue IOError, SystemCallError
          return if closed?

          sleep(PAUSE) # no descriptor is free
          retry
        end

        # Removes the socket's file, too.
        def close
          return if closed?

          @fork.remove
          ::File.unlink(@path) if ::File.socket?(@path)
          @server.close
        end

        def closed? = @server.closed?
      end
    end
  end
end
