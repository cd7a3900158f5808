# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Connections of this process to others that listen: one for each address.
      class ConnectionPool
        # Seconds that the other side may take to answer the first request.
        CONNECT_TIMEOUT = 10
        # An address that does not answer delays only its own callers.
        Entry = Struct.new(:lock, :connection)
        private_constant :CONNECT_TIMEOUT, :Entry

        def self.current = RactorLocal.fetch(:raffia_actor_connection_pool) { new }

        def initialize
          reset
          Fork.after_child { reset }
        end

        def connection(address)
          entry = @lock.synchronize { @entries[address.path] ||= Entry.new(Thread::Mutex.new) }
          entry.lock.synchronize do
            used = entry.connection
            (used && !used.closed?) ? used : entry.connection = connect(address)
          end
        end

        private

        def connect(address)
          unless RactorLocal.main?
            raise ConfigError, "a Ractor connects to nobody: get the ref outside, and hand it in"
          end

          connection = Connection.over(address.connect, RequestDispatcher.new)
          BackgroundThreads.run do
            connection.serve
          ensure
            connection.close
          end
          connection.ask(nil, :hello, ListenerDispatcher::PROTOCOL, limit: CONNECT_TIMEOUT)
          greeted = connection
        ensure
          connection&.close unless greeted
        end

        def reset
          @lock = Thread::Mutex.new
          @entries = {}
        end
      end
    end
  end
end
