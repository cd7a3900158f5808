# frozen_string_literal: true

# Classic: a stack by compare-and-set. A thread has read the top A and what is below it, B; another
# takes A and B and returns A. The top is A again, so the first thread's compare-and-set succeeds
# and makes B the top, which the other thread still holds. Fixed: a stamp beside the top.
module SimulationBench
  module Aba
    Node = Struct.new(:name, :below)
    Top = Struct.new(:node, :stamp)

    class Stack
      def initialize(*nodes)
        @lock = Mutex.new
        @top = Top.new(nil, 0)
        nodes.reverse_each { |node| push(node) }
      end

      def push(node)
        while true
          top = read
          node.below = top.node
          return if compare_and_set(top, node)
        end
      end

      def pop
        while true
          top = read
          return unless top.node
          return top.node if compare_and_set(top, below(top.node))
        end
      end

      private

      def read = @top

      def below(node) = node.below

      def compare_and_set(expected, node)
        @lock.synchronize do
          same?(@top, expected) && (@top = Top.new(node, @top.stamp + 1))
        end
      end

      def same?(top, other) = top.node.equal?(other.node)
    end

    class StampedStack < Stack
      def same?(top, other) = super && top.stamp == other.stamp
    end

    def self.run(type)
      stack = type.new(*%w[a b c].map { |name| Node.new(name) })
      first = Thread.new { [stack.pop] }
      second = Thread.new do
        returned = stack.pop
        kept = stack.pop
        stack.push(returned)
        [kept]
      end
      nodes = first.value + second.value
      while (node = stack.pop)
        nodes << node
      end
      names = nodes.map { |node| node&.name }
      SimulationBench.check(names.sort == %w[a b c], "nodes taken twice or lost: #{names.inspect}")
    end
  end

  model "aba", source: "classic", fault: "compare-and-set sees A, B, A as no change",
    needs: [:preempt], buggy: ->(_sim) { Aba.run(Aba::Stack) },
    fixed: ->(_sim) { Aba.run(Aba::StampedStack) }
end
