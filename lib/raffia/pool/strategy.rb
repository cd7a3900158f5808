# frozen_string_literal: true

require_relative "../base/config"
require_relative "../base/error"
require_relative "../base/ractor_local"
require_relative "auto"
require_relative "cpus"
require_relative "strategy/inline"
require_relative "strategy/fibers"
require_relative "strategy/threads"
require_relative "strategy/ractors"
require_relative "strategy/processes"

module Raffia
  class Pool
    # Where work runs. A strategy is a module that says a few things: how many workers are usual,
    # how long a chunk should take, which crew drives, and in which seats the blocks run. Everything
    # else is the same for all of them.
    #
    #     workers(options)                    -> Integer, how many at once
    #     target                              -> Float, seconds of work in a chunk; 0 for single items
    #     crew                                -> class: InlineCrew, ThreadCrew or FiberCrew
    #     standing_crew                       -> class for pools that live on: ThreadCrew or FiberHost
    #     seats(plan, input, sizer, options)  -> Proc that makes a Seat; checks and prepares what can be before the start
    #     around { }                          -> runs the block where the crew can work
    #     portable?                           -> whether a block can be handed to a worker that lives already
    #
    # @api private
    module Strategy
      ALL = {
        inline: Inline,
        fibers: Fibers,
        threads: Threads,
        ractors: Ractors,
        processes: Processes
      }.freeze
      # Those of rooms above this one, and what loads them.
      ELSEWHERE = {jobs: "raffia/jobs"}.freeze
      KEY = :raffia_strategies
      private_constant :KEY

      class << self
        # @param name [Symbol, #seats] a strategy that is not in the table may be handed in itself
        # @return [Module, Auto] +:auto+ is made anew for each call
        # @raise [ConfigError]
        def fetch(name)
          return name if name.respond_to?(:seats)
          return Auto.new if name == :auto

          ALL[name] || provided[name]&.call or
            raise ConfigError, "on: #{name.inspect} is not a strategy#{hint(name)}: use one of " \
              "#{valid}"
        end

        # A room above this one brings its own.
        # @param name [Symbol] of {ELSEWHERE}
        # @yieldreturn [Object] a strategy, made anew for each call
        # @return [void]
        def provide(name, &strategy)
          provided[name] = strategy
          nil
        end

        # @return [Integer] one worker for each processor that may be used, or what RAFFIA_WORKERS
        #   says
        def default_workers = Raffia.config.workers || Cpus.count

        private

        def valid = [*ALL.keys, :auto].map(&:inspect).join(", ")

        def provided = RactorLocal.fetch(KEY) { {} }

        def hint(name)
          return " before `require \"#{ELSEWHERE[name]}\"`" if ELSEWHERE.key?(name)

          if name.is_a?(String) && ALL.key?(name.to_sym)
            " (a Symbol is meant, #{name.to_sym.inspect})"
          end
        end
      end
    end
  end
end
