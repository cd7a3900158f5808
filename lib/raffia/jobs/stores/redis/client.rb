# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../error"
require_relative "scripts"
require_relative "server_check"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Runs commands and scripts on pooled connections. One fiber or thread uses a connection at
        # a time; a child process makes its own.
        #
        # A command whose connection is lost before the answer may have been done or not. It is
        # retried only if it may be done twice (`safe`), or if Redis has refused it because it was
        # not the master, as during a failover.
        #
        # @api private
        class Client
          # Jobs that one script moves: Redis does nothing else meanwhile.
          SLICE = 100
          # Errors of a server that has done nothing, where another connection may lead to one that
          # does.
          ELSEWHERE = /\A(?:READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)/

          # @return [Scripts]
          attr_reader :scripts

          # @param address [Address]
          def initialize(address)
            @address = address
            @scripts = Scripts.new
            @check = ServerCheck.new(address.shown)
            @lock = Monitor.new
            reset
          end

          # @param safe [Boolean] whether it may be done twice, when the connection is lost
          #   meanwhile
          # @yieldparam connection [RedisClient]
          # @raise [StoreUnavailable]
          def with(safe: false)
            tries = 0
            begin
              hold { |connection| yield connection }
            rescue ::RedisClient::Error => error
              forget if error.is_a?(::RedisClient::ConnectionError)
              retry if (tries += 1) == 1 && again?(error, safe)
              raise kind(error), wording(error)
            end
          end

          # @param command [Array<String, Numeric>] that only reads
          def read(*command) = with(safe: true) { |connection| connection.call_v(command) }

          # @param name [Symbol] of a script
          def script(name, *arguments, safe: false)
            with(safe: safe) { |connection| @scripts.call(connection, name, arguments) }
          end

          # Moves jobs that are still where they were.
          # @param how [String] "queue", "front", "dead" or "gone"
          # @param rows [Array<Array>] key, present member, new payload, queue
          # @return [Integer] number of jobs moved
          def move(how, rows)
            rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }
          end

          # @return [RedisClient] a new connection, which the caller closes
          def fresh = @address.client

          def close = forget

          private

          def hold
            reset unless @pid == ::Process.pid
            idle = @idle
            @permits.synchronize do
              connection = idle.pop || @address.client
              begin
                @check.call(connection) unless @check.done?
                yield connection
              rescue ::RedisClient::Error => error
                connection.close if error.message.match?(ELSEWHERE)
                raise
              ensure
                idle.push(connection)
              end
            end
          end

          # A child makes new connections: the parent's may be in use.
          def reset
            @lock.synchronize do
              next if @pid == ::Process.pid

              @idle = []
              @permits = Semaphore.new(@address.connections)
              @pid = ::Process.pid
            end
          end

          # When one is lost, the others are, too. They reconnect when they are needed.
          def forget
            connections = @idle.shift(@idle.size)
            connections.each(&:close)
          end

          def again?(error, safe)
            error.message.match?(ELSEWHERE) || (safe && error.is_a?(::RedisClient::ConnectionError))
          end

          def kind(error)
            error.is_a?(::RedisClient::AuthenticationError) ? StoreRefused : StoreUnavailable
          end

          def wording(error)
            case error
            when ::RedisClient::AuthenticationError
              "Redis at #{@address.shown} refuses the password: #{error.message}"
            when ::RedisClient::OutOfMemoryError
              "Redis at #{@address.shown} has reached its maxmemory, and keeps nothing more: " \
              "#{error.message}"
            when ::RedisClient::ConnectionError
              "Redis at #{@address.shown} cannot be reached: #{error.message}"
            else "Redis at #{@address.shown} refuses: #{error.message}"
            end
          end
        end
      end
    end
  end
end
