# frozen_string_literal: true

require_relative "../../../base/fork"
require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Connections shared by fibers and threads. The one returned last is lent first, so a
        # process has only as many as it has used at the same time. A forked child begins with none.
        # @api private
        class Pool
          # Seconds to wait for a connection.
          TIMEOUT = 30

          # @param size [Integer]
          # @yieldreturn [Driver] a new one
          def initialize(size, &connect)
            @size = size
            @connect = connect
            @lent = {}.compare_by_identity
            start
            @fork = Fork.after_child { disown }
          end

          # @yieldparam driver [Driver] for this caller alone
          # @raise [StoreUnavailable]
          def with
            permits = @permits
            permits.pop(timeout: TIMEOUT) or
              raise StoreUnavailable, "all #{@size} connections to PostgreSQL are in use, for " \
                "#{TIMEOUT} s now: raise pool= of the address"
            begin
              driver = lend
              yield driver
            ensure
              take_back(driver) if driver
              permits.push(true)
            end
          end

          def close
            @fork.remove
            while (driver = @idle.pop) do driver.close end
          end

          private

          def start
            # A queue wakes fibers and threads alike.
            @permits = ::Thread::Queue.new(Array.new(@size, true))
            @idle = []
          end

          # Checks whether the server has closed a connection before it is used: afterwards it would
          # be unknown whether a statement was done.
          def lend
            while (driver = @idle.pop)
              break if driver.usable?

              driver.close
            end
            driver ||= @connect.call
            @lent[driver] = true
            driver
          end

          # Closes a connection that is in the middle of something, because its fiber was cancelled.
          def take_back(driver)
            return unless @lent.delete(driver) # this is a child by now

            driver.usable? ? @idle.push(driver) : driver.close
          end

          def disown
            [*@idle, *@lent.keys].each(&:disown)
            @lent.clear
            start
          end
        end
      end
    end
  end
end
