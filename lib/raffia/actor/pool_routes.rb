# frozen_string_literal: true

module Raffia
  class Actor
    # Who of a pool's workers is asked.
    #
    # @api private
    module PoolRoutes
      # @param route [Symbol, #call, nil]
      # @param key [Symbol, #call, nil]
      # @return [#pick]
      # @raise [ConfigError]
      def self.find(route, key)
        raise ConfigError, "give a pool a route or a key, not both" if route && key

        key ? Keyed.new(key_of(key)) : route_of(route)
      end

      def self.route_of(route)
        case route
        when nil, :least_busy then LeastBusy.new
        when :round_robin then RoundRobin.new
        else
          unless route.respond_to?(:call)
            raise ConfigError, "route: #{route.inspect} means nothing here: use :least_busy, " \
              ":round_robin or a proc"
          end

          Keyed.new(route)
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

      # One after the other. Two threads that take the same turn do no harm.
      class RoundRobin
        def initialize
          @turn = 0
        end

        # @param workers [Array<ActorCore>]
        # @return [ActorCore, nil] nil: there is none
        def pick(workers, _name, _arguments, _keywords)
          first = @turn = (@turn + 1) % [workers.size, 1].max
          living = nil
          workers.size.times do |step|
            worker = workers[first + step - workers.size]
            return worker if worker.status == :running

            living ||= worker if worker.alive?
          end
          living
        end
      end

      # Whoever has the fewest messages; among equals, one after the other.
      class LeastBusy
        # Whoever is about to begin again is asked only if all are.
        AWAY = 1_000_000

        def initialize
          @turn = 0
        end

        # @return [ActorCore, nil]
        def pick(workers, _name, _arguments, _keywords)
          first = @turn = (@turn + 1) % [workers.size, 1].max
          least = fewest = nil
          workers.size.times do |step|
            worker = workers[first + step - workers.size]
            backlog = backlog(worker) or next
            return worker if backlog.zero?

            least, fewest = worker, backlog if fewest.nil? || backlog < fewest
          end
          least
        end

        private

        def backlog(worker)
          return worker.backlog if worker.status == :running

          worker.backlog + AWAY if worker.alive?
        end
      end

      # The same for the same key.
      class Keyed
        # @param key [#call]
        def initialize(key)
          @key = key
          @anyone = LeastBusy.new
        end

        # @return [ActorCore, nil]
        def pick(workers, name, arguments, keywords)
          key = keywords ? @key.call(name, *arguments, **keywords) : @key.call(name, *arguments)
          return @anyone.pick(workers, name, arguments, keywords) if key.nil?

          workers[key.hash % workers.size] unless workers.empty?
        end
      end
    end
  end
end
