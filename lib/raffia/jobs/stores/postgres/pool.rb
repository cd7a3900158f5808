# frozen_string_literal: true

require_relative "../../../base/fork"
require_relative "../../errors"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Connections for fibers and threads, who wait for one another here. The last one that came
        # back goes out first, so a process has only as many as it has used at the same time. A
        # child of fork begins with none.
        # @api private
        class Pool
          # Seconds to wait for a connection that others have.
          PATIENCE = 30

          # @param size [Integer]
          # @yieldreturn [Driver] a new one
          def initialize(size, &connect)
            @size = size
            @connect = connect
            @lent = {}.compare_by_identity
            start
            @fork = Fork.after_child { disown }
          end

          # @yieldparam driver [Driver] nobody else's until the block ends
          # @raise [StoreUnavailable]
          def with
            permits = @permits
            permits.pop(timeout: PATIENCE) or
              raise StoreUnavailable, "all #{@size} connections to PostgreSQL are in use, for " \
                "#{PATIENCE} s now: raise pool= of the address"
            begin
              driver = lend
              yield driver
            ensure
              take_back(driver) if driver
              permits.push(true)
            end
          end

          # @return [void]
          def close
            @fork.remove
            while (driver = @idle.pop) do driver.close end
          end

          private

          def start
            # a queue wakes fibers and threads alike
            @permits = ::Thread::Queue.new(Array.new(@size, true))
            @idle = []
          end

          # Those that the server has left meanwhile, as when it was restarted, are found out before
          # anything is asked of them: afterwards nobody could say whether it was done.
          def lend
            while (driver = @idle.pop)
              break if driver.usable?

              driver.close
            end
            driver ||= @connect.call
            @lent[driver] = true
            driver
          end

          # What is in the middle of something, because its fiber was cancelled, is of no use to
          # others.
          def take_back(driver)
            return unless @lent.delete(driver) # another process's by now

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
