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
        require_relative "exhaustive/run"

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
          @recorder = bound ? nil : recorder
          @nodes = []
          @visited = @redundant = 0
          @running = @finished = @sampled = false
          super()
        end

        # Begins a run.
        def start(seed, steps)
          conclude
          @depth = 0
          @run = Run.new
          @preemptions = 0
          @sleep = {}
          @node = nil
          @running = true
          @cut = @drawn = @unknown = false
          @recorder&.start
          super
        end

        def pick(candidates, preempts)
          observe
          return 0 if @cut
          index = follow(keys(candidates)) do |keys|
            all = all?(keys)
            Node.new(keys, sleep: all ? {} : @sleep, all:, preempts:, bound: @bound,
              preemptions: @preemptions)
          end
          enter(@nodes[@depth - 1]) unless @cut
          index
        end

        def choose(count)
          return 0 if @cut || count < 2
          return sample(count) if count > VALUES
          @drawn = true
          follow(count) { Choice.new(count) }
        end

        # Both ways, unless one is impossible.
        def flip(probability)
          return probability >= 1 if probability <= 0 || probability >= 1
          @unknown = true
          choose(2) == 1
        end

        # Values of `rand` are no choices: they are the same in each run.
        def one_seed? = true

        def close = @recorder&.stop

        # Whether no way is left.
        def finished?
          conclude
          @finished
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

        # Whether all candidates are explored: without footprints, and after timers and faults that
        # are drawn, because what depends on them is not known.
        def all?(keys) = @recorder.nil? || (@unknown ||= keys.any?(Array))

        # The decision of the run before, or a new one.
        def follow(keys)
          node = @nodes[@depth]
          if node
            diverged(node, keys) unless node.keys == keys
          else
            node = yield(keys)
            return cut if node.asleep?
            @nodes << node
          end
          @depth += 1
          node.chosen
        end

        def enter(node)
          @node = node
          @preemptions = node.preemptions_after
          @sleep = @unknown ? {} : node.rest if @recorder
        end

        # All candidates sleep: whatever comes has been seen in another order.
        def cut
          @cut = true
          0
        end

        # The steps since the last decision: of the thread that was chosen, then of those that had
        # to run because they were the only ones.
        def observe
          return unless @recorder
          node, @node = @node, nil
          steps = @recorder.take
          steps = begin_with(node, steps) if node
          steps.each { |_, footprint| footprint.everything! } if @drawn
          node.footprint = steps.first.last if node
          steps.each_with_index do |(thread, footprint), index|
            add(thread, footprint, (node if index.zero?))
          end
          @drawn = false
        end

        # A step that did nothing was not recorded. A timer may do anything.
        def begin_with(node, steps)
          steps = [[node.key, Footprint.new], *steps] unless steps.dig(0, 0) == node.key
          steps.first.last.everything! unless node.key.is_a?(String)
          steps
        end

        # What does not commute with the step wakes up. A sleeping thread that has to run, because
        # it is the only one, makes the run redundant.
        def add(thread, footprint, node)
          @cut = true if !node && @sleep.key?(thread)
          return if @cut
          @run.add(thread, footprint, node)
          @sleep = @sleep.reject do |other, theirs|
            other == thread || !theirs.independent?(footprint)
          end
        end

        def diverged(node, keys)
          raise Nondeterminism, "decision #{@depth + 1} of a run had the candidates " \
            "#{keys.inspect}, and #{node.keys.inspect} in the run before: the program does not " \
            "depend on its schedule alone"
        end

        # The run is over: find its reversals, and go to the next way.
        def conclude
          return unless @running
          observe
          @running = false
          @cut ? @redundant += 1 : @visited += 1
          @run.reverse if @recorder
          backtrack
        end

        def backtrack
          while (node = @nodes.last)
            return if node.advance
            @nodes.pop
          end
          @finished = true
        end
      end
    end
  end
end
