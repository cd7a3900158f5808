# frozen_string_literal: true

module Raffia
  class Actor
    # Routes of pools: which worker gets a message.
    #
    # @api private
    module PoolRoutes
      def self.find(route, key)
        raise ConfigError, "give a pool a route or a key, not both" if route && key

        key ? KeyRoute.new(key_of(key)) : route_of(route)
      end

      def self.route_of(route)
        case route
        when nil, :least_busy then LeastBusyRoute.new
        when :round_robin then RoundRobinRoute.new
        else
          unless route.respond_to?(:call)
            raise ConfigError, "route: #{route.inspect} means nothing here: use :least_busy, " \
              ":round_robin or a proc"
          end

          KeyRoute.new(route)
        end
      end

      def self.key_of(key)
        return ->(_name, first = nil, *) { first } if key == :first_argument
        unless key.respond_to?(:call)
          raise ConfigError, "key: #{key.inspect} means nothing here: use :first_argument or a proc"
        end

        key
      end
      private_class_method :route_of, :key_of

      # The worker with the fewest messages; among equals, each in its turn.
      class LeastBusyRoute
        # Added to the backlog of a worker that restarts: it is asked only if all do.
        RESTART_PENALTY = 1_000_000

        def initialize
          @turn = 0
        end

        # Returns nil when there is no worker. Two threads may take the same turn.
        def pick(workers, _name, _arguments, _keywords)
          first = @turn = (@turn + 1) % [workers.size, 1].max
          least = fewest = nil
          workers.size.times do |step|
            worker = workers[first + step - workers.size]
            next unless worker.alive?

            backlog = backlog(worker)
            backlog += RESTART_PENALTY unless worker.status == :running
            return worker if backlog.zero?

            least, fewest = worker, backlog if fewest.nil? || backlog < fewest
          end
          least
        end

        private

        def backlog(worker) = worker.backlog
      end

      # One worker after the other.
      class RoundRobinRoute < LeastBusyRoute
        private

        def backlog(_worker) = 0
      end

      # The same worker for the same key.
      class KeyRoute
        def initialize(key)
          @key = key
          @anyone = LeastBusyRoute.new
        end

        def pick(workers, name, arguments, keywords)
          key = keywords ? @key.call(name, *arguments, **keywords) : @key.call(name, *arguments)
          return @anyone.pick(workers, name, arguments, keywords) if key.nil?

          workers[key.hash % workers.size] unless workers.empty?
        end
      end
    end
  end
end
