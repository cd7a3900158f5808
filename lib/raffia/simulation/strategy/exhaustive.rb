# frozen_string_literal: true

require_relative "fifo"

module Raffia
  module Simulation
    module Strategy
      # Takes all ways through a small program, depth first: each run follows the one before up to
      # its last decision that has another way.
      #
      # With a recorder of footprints, orders that only swap independent steps are taken once:
      # dynamic partial-order reduction with sleep sets. A bound of preemptions leaves orders out,
      # so it excludes the reduction and the claim that the program is explored exhaustively.
      # @api private
      class Exhaustive < Fifo
        require_relative "exhaustive/choice"
        require_relative "exhaustive/footprint"
        require_relative "exhaustive/node"
        require_relative "exhaustive/recorder"
        require_relative "exhaustive/reduction"
        require_relative "exhaustive/search_tree"

        # More values than this are drawn at random, and the program does not count as explored.
        VALUES = 256
        private_constant :VALUES

        # @return [Exhaustive] with the reduction where Ruby shows its bytecode
        def self.build(bound)
          if Bytecode.available?
            recorder = Recorder.new do
              world = World.active
              world.running unless world.nil? || world.closing?
            end
          end
          new(bound:, recorder:)
        end

        # Runs that took an order of their own.
        attr_reader :visited
        # Runs that were given up in the end, because all their orders had been seen.
        attr_reader :redundant

        # @param bound [Integer, nil] the most preemptions of a run; nil: any number
        # @param recorder [#take, nil] gives `[thread, footprint]` of each step since it was asked
        #   last; nil: no reduction
        def initialize(bound: nil, recorder: nil)
          @bound = bound
          @reduction = Reduction.new(bound ? nil : recorder)
          @tree = SearchTree.new
          @visited = @redundant = 0
          @running = @sampled = false
          super()
        end

        # Begins a run.
        def start(seed, steps)
          conclude
          @tree.start
          @preemptions = 0
          @running = true
          @reduction.start
          super
        end

        def pick(candidates, preempts)
          @reduction.observe
          return 0 if @reduction.redundant?
          keys = keys(candidates)
          all = @reduction.all?(keys) # in each run, also where it follows the one before
          node = follow(keys) { node(keys, preempts, all) } or return 0
          @preemptions = node.preemptions_after
          @reduction.enter(node)
          node.chosen
        end

        def choose(count)
          return 0 if @reduction.redundant? || count < 2
          return sample(count) if count > VALUES
          @reduction.drawn
          follow(count) { Choice.new(count) }.chosen
        end

        # Both ways, unless one is impossible.
        def flip(probability)
          return probability >= 1 if probability <= 0 || probability >= 1
          @reduction.unknown
          choose(2) == 1
        end

        # Values of `rand` are no choices: they are the same in each run.
        def one_seed? = true

        def close = @reduction.stop

        # Whether no way is left.
        def finished?
          conclude
          @tree.finished?
        end

        # Whether the program was explored in all orders.
        def exhausted? = finished? && @bound.nil? && !@sampled

        # @return [String]
        def to_s
          orders = "#{visited} order#{"s" unless visited == 1}"
          return "explored exhaustively: #{orders}" if exhausted?
          finished? ? "#{orders}, all with up to #{@bound} preemptions" : "#{orders}, not all"
        end

        private

        def sample(count)
          @sampled = true
          random.rand(count)
        end

        # Paths of threads; timers have numbers.
        def keys(candidates)
          candidates.each_with_index.map do |candidate, index|
            candidate.respond_to?(:path) ? candidate.path : [:timer, index]
          end
        end

        def node(keys, preempts, all)
          Node.new(keys, sleep: all ? {} : @reduction.sleep, all:, preempts:, bound: @bound,
            preemptions: @preemptions)
        end

        def follow(keys, &)
          @tree.follow(keys, &) || (@reduction.give_up && nil)
        end

        # The run is over: find its reversals, and go to the next way.
        def conclude
          return unless @running
          @running = false
          @reduction.conclude
          @reduction.redundant? ? @redundant += 1 : @visited += 1
          @tree.advance
        end
      end
    end
  end
end
