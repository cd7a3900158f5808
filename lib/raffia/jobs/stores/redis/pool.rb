# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../errors"
require_relative "inspection"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Connections, each used by one fiber or thread at a time. A child process makes its own.
        #
        # A call whose connection is lost before the answer may have been carried out or not. Only
        # what may be done twice (`safe`) is tried again then; and what Redis has refused because it
        # was no master just then, as in the moments of a failover.
        class Pool
          # What Redis says when it has not done it, and another connection may lead to one that
          # does.
          ELSEWHERE = /\A(?:READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)/

          # @param address [Address]
          def initialize(address)
            @address = address
            @inspection = Inspection.new(address.shown)
            @lock = Monitor.new
            reset
          end

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

          # @return [RedisClient] one of its own for the caller, who closes it
          def fresh = @address.client

          # @return [void]
          def close = forget

          private

          def hold
            reset unless @pid == ::Process.pid
            resting = @resting
            @room.synchronize do
              connection = resting.pop || @address.client
              begin
                @inspection.call(connection) unless @inspection.done?
                yield connection
              rescue ::RedisClient::Error => error
                connection.close if error.message.match?(ELSEWHERE)
                raise
              ensure
                resting.push(connection)
              end
            end
          end

          # The parent's may be in the middle of something: who held them there does not exist here.
          def reset
            @lock.synchronize do
              next if @pid == ::Process.pid

              @resting = []
              @room = Semaphore.new(@address.connections)
              @pid = ::Process.pid
            end
          end

          # Where one is lost, the others are, too: the server has gone. They connect anew when they
          # are needed.
          def forget
            connections = @resting.shift(@resting.size)
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
