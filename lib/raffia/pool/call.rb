# frozen_string_literal: true

require_relative "chunk"
require_relative "input"
require_relative "interrupt_backtrace"
require_relative "options"
require_relative "retry/traversal"
require_relative "strategy"
require_relative "traversal"

module Raffia
  class Pool
    # Carries out one call of Raffia.map or one of its sisters.
    #
    # @api private
    module Call
      class << self
        def run(name, items, plan, gather, on:, **keywords)
          raise Validation.no_block(name) unless plan.block

          strategy = Strategy.fetch(on)
          Validation.threads(on) if strategy.group.respond_to?(:threads?)
          options = Options.new(**keywords)
          traverse(strategy, Input.of(items), plan, gather, options)
        end

        private

        def traverse(strategy, input, plan, gather, options)
          workers = [strategy.capacity(options), options.limit].compact.min
          sizer = ChunkSize.new(options.chunk, target: strategy.granularity)
          retries = Retry::Policy.new(options) if options.retries.positive?
          slots = Strategy.slots(strategy, retries ? retries.plan(plan) : plan, input, sizer,
            options)
          own = {workers: workers, sizer: sizer, **retrying(retries, strategy, plan)}
          traversal = (retries ? Retry::Traversal : Traversal).new(input, gather, options, **own)
          strategy.around do
            group = strategy.group.new(traversal, workers, &slots)
            next traversal.run(group) unless options.timeout

            # Inside of the group's loop: there the caller is a fiber that can be interrupted.
            Raffia.timeout(options.timeout) { traversal.run(group) }
          end
          traversal.value
        rescue Interrupt => interrupt
          raise InterruptBacktrace.trim(interrupt)
        end

        def retrying(retries, strategy, plan)
          return {} unless retries

          {retries: retries, alone: strategy.in_caller?, fold: plan.operation == :reduce}
        end
      end
    end
  end
end
