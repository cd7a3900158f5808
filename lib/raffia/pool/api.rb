# frozen_string_literal: true

require_relative "call"
require_relative "gather"
require_relative "work"

module Raffia
  class Pool
    # The calls over a collection, which are Raffia's own methods. The block runs on many items at
    # once, and the results come back in order. All take the same keywords:
    #
    # on:: where the block runs: +:inline+, +:fibers+, +:threads+, +:ractors+, +:processes+, +:jobs+
    #      or +:auto+
    # workers:: how many at once; by default one for each processor, on +:fibers+ 256
    # limit:: items that may be taken from the input ahead of their results; by default two chunks
    #         for each worker. It bounds the workers too
    # chunk:: how many items travel together; by default measured
    # timeout:: seconds for the whole call; then TimeoutError
    # item_timeout:: seconds for each attempt at each item; then TimeoutError about that item
    # retries:: further attempts of an item whose block fails or takes too long, or whose worker
    #           dies; by default none
    # backoff:: seconds before the second attempt, doubled before each further one, or a callable,
    #           as {Raffia.retry} has it. Meanwhile the workers do other items
    # retry_on:: the errors to try again on, by default StandardError
    # progress:: true or a title: show how far it is
    # ordered:: false gives the results of map and filter_map as they come
    #
    # With retries an item may be worked on more than once, and its result is used once. When a
    # worker process dies, its unreported work is done again; only the item that it was at counts an
    # attempt. A fold folds the whole chunk anew.
    #
    # An exception in the block is raised in the caller, with the worker's backtrace and the item
    # (see {ItemContext}), and stops the other workers. So do +break+, a timeout, cancellation, and
    # Ctrl-C. Fibers stop where they wait, threads almost anywhere, processes in any case, Ractors
    # between chunks.
    #
    # Workers read Arrays and ranges of numbers themselves; the caller reads everything else, item
    # by item, so it may be endless.
    module API
      # @param items [Enumerable]
      # @yieldparam item [Object]
      # @return [Array] the block's results
      # @raise [ConfigError] for arguments that cannot be meant
      # @raise [TimeoutError]
      # @raise [WorkerDied] when a worker process was killed; it names the signal and the item
      # @raise [NotShareable] when block, item or result cannot go to or from a Ractor
      # @raise [NotDumpable] when item, result or exception cannot go to or from a process
      # @raise [Exception] what the block raised
      def map(items, on: :fibers, ordered: true, **options, &block)
        gather = ordered ? Gather::OrderedResults.new : Gather::UnorderedResults.new
        Call.run("map", items, Plan.new(:map, block, Work::NOTHING), gather, on: on, **options)
      end

      # Like {map}, without the results.
      # @return [Enumerable] the items
      def each(items, on: :fibers, **options, &block)
        plan = Plan.new(:each, block, Work::NOTHING)
        Call.run("each", items, plan, Gather::NoResults.new(items), on: on, **options)
      end

      # Like {map}, without the results that are nil or false.
      # @return [Array]
      def filter_map(items, on: :fibers, ordered: true, **options, &block)
        all = ordered ? Gather::OrderedResults.new : Gather::UnorderedResults.new
        plan = Plan.new(:map, block, Work::NOTHING)
        Call.run("filter_map", items, plan, Gather::TruthyResults.new(all), on: on, **options)
      end

      # The first item, in time, for which the block is true; the rest of the work is stopped.
      # @return [Object, nil] nil when there is none
      def find_any(items, on: :fibers, **options, &block)
        plan = Plan.new(:find, block, Work::NOTHING)
        Call.run("find_any", items, plan, Gather::FirstResult.new, on: on, **options)
      end

      # Folds the items. Each worker folds chunks of neighbours, and the chunks' values are folded
      # in order.
      #
      # Without +combine+ the same block folds both, so it must be associative and return what it
      # takes, as <tt>a + b</tt> does. With +combine+ each chunk starts from +initial+, which must
      # change nothing when combined (0 for a sum), and the block may take an item into any kind of
      # value:
      #
      #     Raffia.reduce(1..1_000_000, 0, combine: :+, on: :processes) { |sum, i| sum + i * i }
      #
      # @param initial [Object]
      # @param combine [#call, Symbol, nil] takes two chunks' values; a Symbol is a method of the
      # first
      # @yieldparam memo [Object]
      # @yieldparam item [Object]
      # @return [Object, nil] nil for no items and no initial value
      def reduce(items, initial = Work::NOTHING, combine: nil, on: :fibers, **options, &block)
        nothing = Work::NOTHING
        if combine && nothing.equal?(initial)
          raise ConfigError, "reduce with combine: needs an initial value: give the one that " \
            "changes nothing, such as 0 for a sum"
        end

        seeded = !combine.nil?
        gather = Gather::Fold.new(initial, combine&.to_proc || block, seeded: seeded)
        plan = Plan.new(:reduce, block, seeded ? initial : nothing)
        Call.run("reduce", items, plan, gather, on: on, **options)
      end
    end
  end

  extend Pool::API
end
