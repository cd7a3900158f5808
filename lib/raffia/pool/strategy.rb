# frozen_string_literal: true

require_relative "chunk_service"
require_relative "remote_slot"
require_relative "worker_slot"

module Raffia
  class Pool
    # Finds the strategy of a call, and makes the slots in which chunks are worked on.
    #
    # A strategy is an {Executor}, or an object of the same interface that brings its own +slots+.
    #
    # @api private
    module Strategy
      # Strategies of components above this one, and what loads them.
      ELSEWHERE = {jobs: "raffia/jobs"}.freeze
      KEY = :raffia_strategies
      private_constant :KEY

      class << self
        def fetch(name)
          return name if name.respond_to?(:slots) || name.respond_to?(:granularity)
          return auto if name == :auto

          Executor::ALL[name] || provided[name]&.call or raise ConfigError,
            "on: #{name.inspect} is not a strategy#{hint(name)}: use one of #{valid}"
        end

        # A component above this one brings its own. The block makes one for each call.
        def provide(name, &strategy)
          provided[name] = strategy
          nil
        end

        # Checks and prepares what can be before the start. Returns a Proc that makes a
        # {WorkerSlot}. Raises ConfigError, NotShareable.
        def slots(strategy, plan, input, sizer, options)
          return strategy.slots(plan, input, sizer, options) if strategy.respond_to?(:slots)

          strategy.check(options)
          return remote_slots(strategy, plan, input, sizer, options) unless strategy.local?

          limited = plan.within(options.item_timeout)
          -> { WorkerSlot.new(limited) }
        end

        private

        # Loaded when it is used: a worker of jobs has no use for it.
        def auto
          require_relative "auto"
          Auto.new
        end

        def remote_slots(executor, plan, input, sizer, options)
          limit, grace = options.item_timeout, executor.overrun_grace
          most = executor.batch_limit(options)
          sizer.at_most(most) if most
          plan = plan.within(limit) if grace.positive?
          service = ChunkService.new(plan, (input if input&.indexed?))
          workers = executor.workers(service, options)
          lambda do
            worker = workers.call
            if worker.respond_to?(:post)
              RemoteSlot.new(worker, sizer, limit, grace)
            else
              WorkerSlot.new(plan.with(block: worker.method(:call)), worker)
            end
          end
        end

        def valid = [*Executor::ALL.keys, :auto].map(&:inspect).join(", ")
        def provided = RactorLocal.fetch(KEY) { {} }

        def hint(name)
          return " before `require \"#{ELSEWHERE[name]}\"`" if ELSEWHERE.key?(name)
          return unless name.is_a?(String) && Executor::ALL.key?(name.to_sym)

          " (a Symbol is meant, #{name.to_sym.inspect})"
        end
      end
    end
  end
end
