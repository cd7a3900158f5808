# frozen_string_literal: true

# connection_pool#14: a nested `with` gets the connection that the thread has, and returns it at its
# end, while the outer block still uses it; another thread takes it. Fixed: count the nesting.
module SimulationBench
  module ConnectionPoolNested
    class Connection
      def initialize = @users = []

      def use(user)
        @users.push(user)
        SimulationBench.check(@users.uniq.one?, "one connection, used by #{@users.inspect}")
        @users.pop
      end
    end

    class Pool
      def initialize
        @idle = Queue.new
        @idle.push(Connection.new)
        @mine = {}
        @depth = Hash.new(0)
      end

      def with
        me = Thread.current
        connection = @mine[me] ||= @idle.pop
        @depth[me] += 1
        yield connection
      ensure
        @depth[me] -= 1
        @idle.push(@mine.delete(me)) if return?(me)
      end

      private

      def return?(me) = @mine.key?(me)
    end

    class CountingPool < Pool
      def return?(me) = @depth[me].zero?
    end

    def self.run(pool)
      threads = %i[one two].map do |user|
        Thread.new { nested(pool, user) }
      end
      threads.each(&:join)
    end

    def self.nested(pool, user)
      pool.with do |connection|
        pool.with { |same| same.use(user) }
        connection.use(user)
      end
    end
  end

  model "connection_pool_nested", source: "connection_pool#14",
    fault: "a nested checkout returns the connection", needs: [:preempt],
    buggy: ->(_sim) { ConnectionPoolNested.run(ConnectionPoolNested::Pool.new) },
    fixed: ->(_sim) { ConnectionPoolNested.run(ConnectionPoolNested::CountingPool.new) }
end
