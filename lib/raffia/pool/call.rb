# frozen_string_literal: true

require_relative "chunk_size"
require_relative "input"
require_relative "interrupt_backtrace"
require_relative "options"
require_relative "retry/traversal"
require_relative "strategy"
require_relative "traversal"
require_relative "validation"

module Raffia
  class Pool
    # Carries out one call of Raffia.map or one of its sisters.
    #
    # @api private
    module Call
      class << self
        # @param name [String] for messages
        # @param keywords [Hash] see {Options}
        # @return [Object] the value of the call
        def run(name, items, plan, gather, on:, **keywords)
          Validation.block(name, plan.block)
          strategy = Strategy.fetch(on)
          Validation.threads(on, strategy.group)
          options = Options.new(**keywords)
          traverse(strategy, Input.of(items), plan, gather, options)
        end

        private

        def traverse(strategy, input, plan, gather, options)
          workers = [strategy.workers(options), options.limit].compact.min
          sizer = ChunkSize.new(options.chunk, target: strategy.chunk_seconds)
          retries = Retry::Policy.for(options)
          slots = strategy.slots(retries ? retries.plan(plan) : plan, input, sizer, options)
          own = {workers: workers, sizer: sizer, **retrying(retries, strategy, plan)}
          traversal = (retries ? Retry::Traversal : Traversal).new(input, gather, options, **own)
          strategy.around do
            within(options.timeout) do
              traversal.run(strategy.group.new(traversal, workers, &slots))
            end
          end
          traversal.value
        rescue Interrupt => interrupt
          raise InterruptBacktrace.trim(interrupt)
        end

        # An interrupt of the caller, wherever it waits, stops everything; so a time limit is simply
        # that. It is inside of the group's loop: there the caller is a fiber that can be
        # interrupted.
        def within(timeout, &) = timeout ? Raffia.timeout(timeout, &) : yield

        def retrying(retries, strategy, plan)
          return {} unless retries

          {retries: retries, alone: strategy.in_caller?, fold: plan.operation == :reduce}
        end
      end
    end
  end
end
