# frozen_string_literal: true

require_relative "crew/ctrl_c"
require_relative "gather"
require_relative "input"
require_relative "options"
require_relative "retry/retrying"
require_relative "strategy"
require_relative "traversal"
require_relative "work"

module Raffia
  class Pool
    # Carries out one call of Raffia.map or one of its sisters.
    # @api private
    module Call
      module_function

      # @param name [String] for messages
      # @param items [Enumerable]
      # @param plan [Plan]
      # @param gather [#add, #value]
      # @param on [Symbol]
      # @param keywords [Hash] see {Options}
      def run(name, items, plan, gather, on:, **keywords)
        Check.block(name, plan.block)
        strategy = Strategy.fetch(on)
        Check.place(on, strategy.crew)
        options = Options.new(**keywords)
        input = Input.of(items)
        traverse(strategy, input, plan, gather, options)
      end

      # An interruption of the caller, wherever it waits, is what stops everything; so a time limit
      # is simply that. Inside of whatever loop the crew needs: there the caller is a fiber that can
      # be interrupted where it waits.
      def within(timeout, &) = timeout ? Raffia.timeout(timeout, &) : yield

      def traverse(strategy, input, plan, gather, options)
        workers = [strategy.workers(options), options.limit].compact.min
        sizer = ChunkSize.new(options.chunk, target: strategy.target)
        retries = Retries.for(options)
        seats = strategy.seats(retries ? retries.plan(plan) : plan, input, sizer, options)
        desk = {workers: workers, sizer: sizer, **retrying(retries, strategy, plan)}
        traversal = (retries ? Retrying : Traversal).new(input, gather, options, **desk)
        strategy.around do
          within(options.timeout) { traversal.run(strategy.crew.new(traversal, workers, &seats)) }
        end
        traversal.value
      rescue Interrupt => interrupt
        raise CtrlC.plain(interrupt)
      end

      # What a traversal must know that tries items again.
      def retrying(retries, strategy, plan)
        return {} unless retries

        # What has no workers of its own for certain may work in the caller.
        {retries: retries, alone: ![ThreadCrew, FiberCrew].include?(strategy.crew),
         fold: plan.operation == :reduce}
      end
    end
  end

  # Items are worked on in parallel and the results come back in order. All of these take the same
  # keywords:
  #
  # on:: where the block runs: +:inline+, +:fibers+, +:threads+, +:ractors+ or +:processes+
  # workers:: how many at once; by default one for each processor, on +:fibers+ 256
  # limit:: how many items may be taken from the input ahead of their results; by default two chunks
  # for each worker.
  #         It bounds the workers too, so on +:fibers+ it is all one needs
  # chunk:: how many items travel together; by default measured
  # timeout:: seconds for the whole call; then TimeoutError
  # item_timeout:: seconds for each attempt at each item; then TimeoutError about that item
  # retries:: how many further attempts an item gets when its block fails, takes too long, or its
  # worker dies; by default none
  # backoff:: seconds before the second attempt, doubled before each further one, or a callable, as
  # {Raffia.retry} has it. Meanwhile
  #           the workers do other items
  # retry_on:: the errors to try again on, by default StandardError, to which TimeoutError and
  # WorkerDied belong
  # progress:: true or a title: show how far it is
  # ordered:: false gives the results of map and filter_map as they come
  #
  # Retries mean that an item may be worked on more than once, and its result is used once. When a
  # worker process dies, what it had done and not handed in is done again; only the item that it was
  # at counts an attempt. In a fold the items of a chunk are folded anew together, so none is folded
  # twice into one value.
  #
  # An exception in the block is raised in the caller, as it is, with the worker's backtrace and the
  # item (see {Pool::ItemContext}), and stops the other workers. So do +break+, a timeout,
  # cancellation, and Ctrl-C. How a worker can be stopped differs: fibers where they wait, threads
  # almost anywhere, processes in any case, Ractors between chunks.
  #
  # Arrays and ranges of numbers are read by the workers; everything else is read by the caller,
  # item by item, so it may be endless.
  class << self
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
      gather = ordered ? Pool::Gather::InOrder.new : Pool::Gather::AsTheyCome.new
      Pool::Call.run("map", items, Pool::Plan.new(:map, block, Pool::Work::NOTHING), gather, on: on,
        **options)
    end

    # As {map}, for the effects: results are dropped where they arise.
    # @return [Enumerable] the items
    def each(items, on: :fibers, **options, &block)
      plan = Pool::Plan.new(:each, block, Pool::Work::NOTHING)
      Pool::Call.run("each", items, plan, Pool::Gather::Nothing.new(items), on: on, **options)
    end

    # As {map}, without the results that are nil or false.
    # @return [Array]
    def filter_map(items, on: :fibers, ordered: true, **options, &block)
      all = ordered ? Pool::Gather::InOrder.new : Pool::Gather::AsTheyCome.new
      plan = Pool::Plan.new(:map, block, Pool::Work::NOTHING)
      Pool::Call.run("filter_map", items, plan, Pool::Gather::Kept.new(all), on: on, **options)
    end

    # The first item, in time, for which the block says yes; the rest of the work is stopped.
    # @return [Object, nil] nil when there is none
    def find_any(items, on: :fibers, **options, &block)
      plan = Pool::Plan.new(:find, block, Pool::Work::NOTHING)
      Pool::Call.run("find_any", items, plan, Pool::Gather::Found.new, on: on, **options)
    end

    # Folds the items. Each worker folds chunks of neighbours, and the chunks' values are folded in
    # order.
    #
    # Without +combine+ the same block folds both, so it must be associative and give what it takes,
    # as <tt>a + b</tt> does. With +combine+ each chunk starts from +initial+, which must change
    # nothing when combined (0 for a sum), and the block may take an item into any kind of value:
    #
    #     Raffia.reduce(1..1_000_000, 0, combine: :+, on: :processes) { |sum, i| sum + i * i }
    #
    # @param initial [Object]
    # @param combine [#call, Symbol, nil] takes two chunks' values; a Symbol is a method of the
    #   first
    # @yieldparam memo [Object]
    # @yieldparam item [Object]
    # @return [Object, nil] nil for no items and no initial value
    def reduce(items, initial = Pool::Work::NOTHING, combine: nil, on: :fibers, **options, &block)
      nothing = Pool::Work::NOTHING
      if combine && nothing.equal?(initial)
        raise ConfigError, "reduce with combine: needs an initial value: give the one that " \
          "changes nothing, such as 0 for a sum"
      end

      seeded = !combine.nil?
      gather = Pool::Gather::Fold.new(initial, combine&.to_proc || block, seeded: seeded)
      Pool::Call.run("reduce", items, Pool::Plan.new(:reduce, block, seeded ? initial : nothing),
        gather, on: on, **options)
    end
  end
end
