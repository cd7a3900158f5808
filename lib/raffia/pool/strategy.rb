# frozen_string_literal: true

require_relative "../base/error"
require_relative "../base/ractor_local"
require_relative "../executor"
require_relative "auto"
require_relative "chunk_service"
require_relative "remote_slot"
require_relative "worker_slot"

module Raffia
  class Pool
    # An executor as a pool uses it: it makes the slots in which chunks are worked on.
    #
    # @api private
    class Strategy
      # Strategies of components above this one, and what loads them.
      ELSEWHERE = {jobs: "raffia/jobs"}.freeze
      KEY = :raffia_strategies
      private_constant :KEY

      class << self
        # @param name [Symbol, Module, #slots] an executor or a strategy may be handed in itself
        # @return [Strategy, Auto] made anew for each call
        # @raise [ConfigError]
        def fetch(name)
          return name if name.respond_to?(:slots)
          return new(name) if name.respond_to?(:granularity)
          return Auto.new if name == :auto

          executor = Executor::ALL[name]
          return new(executor) if executor

          provided[name]&.call or raise ConfigError,
            "on: #{name.inspect} is not a strategy#{hint(name)}: use one of #{valid}"
        end

        # A component above this one brings its own.
        # @param name [Symbol] of {ELSEWHERE}
        # @yieldreturn [Object] a strategy, made anew for each call
        def provide(name, &strategy)
          provided[name] = strategy
          nil
        end

        private

        def valid = [*Executor::ALL.keys, :auto].map(&:inspect).join(", ")
        def provided = RactorLocal.fetch(KEY) { {} }

        def hint(name)
          return " before `require \"#{ELSEWHERE[name]}\"`" if ELSEWHERE.key?(name)
          return unless name.is_a?(String) && Executor::ALL.key?(name.to_sym)

          " (a Symbol is meant, #{name.to_sym.inspect})"
        end
      end

      # @param executor [Module] see {Executor}
      def initialize(executor)
        @executor = executor
      end

      # @return [Integer] how many chunks are worked on at once
      def workers(options) = options.workers || @executor.capacity(options.limit)

      # @return [Float] seconds of work in a chunk; 0.0 for single items
      def chunk_seconds = @executor.granularity

      # @return [Class] of groups
      def group = @executor.group

      # @return [Class, nil] of groups for pools that live on
      def background_group = @executor.background_group
      def in_caller? = @executor.in_caller?

      # Whether a worker that lives already can be handed a block.
      def local? = @executor.local?
      def around(&) = @executor.around(&)

      # Checks and prepares what can be before the start.
      # @return [Proc] makes a {WorkerSlot}
      # @raise [ConfigError, NotShareable]
      def slots(plan, input, sizer, options)
        @executor.check(options)
        return remote_slots(plan, input, sizer, options) unless local?

        limited = plan.within(options.item_timeout)
        -> { WorkerSlot.new(limited) }
      end

      private

      def remote_slots(plan, input, sizer, options)
        limit, grace = options.item_timeout, @executor.overrun_grace
        most = @executor.batch_limit(options)
        sizer.at_most(most) if most
        plan = plan.within(limit) if grace.positive?
        service = ChunkService.new(plan, (input if input&.indexed?))
        workers = @executor.workers(service, options)
        lambda do
          worker = workers.call
          if worker.respond_to?(:post)
            RemoteSlot.new(worker, sizer, limit && limit + grace, limit)
          else
            WorkerSlot.new(plan.with(block: worker.method(:call)), worker)
          end
        end
      end
    end
  end
end
