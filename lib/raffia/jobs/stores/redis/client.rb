# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../error"
require_relative "scripts"
require_relative "server_check"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Runs commands and scripts on pooled connections. A child process makes its own.
        #
        # A command whose connection is lost may have been done. It is retried only if it may be
        # done twice (`safe`), or if Redis has refused it, as during a failover.
        # @api private
        class Client
          # Jobs that one script moves: Redis does nothing else meanwhile.
          SLICE = 100
          # Errors of a server that has done nothing, and may not be the master any more.
          ELSEWHERE = /\A(?:READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)/

          attr_reader :scripts

          def initialize(address)
            @address = address
            @scripts = Scripts.new
            @check = ServerCheck.new(address.shown)
            @lock = Monitor.new
            reset
          end

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

          def read(*command) = with(safe: true) { |connection| connection.call_v(command) }

          def script(name, *arguments, safe: false)
            with(safe: safe) { |connection| @scripts.call(connection, name, arguments) }
          end

          # Moves jobs that are still where they were. `how` is "queue", "front", "dead" or "gone";
          # a row has key, present member, new payload, queue.
          def move(how, rows)
            rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }
          end

          # The caller closes it.
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

          # When one is lost, the others are, too.
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
