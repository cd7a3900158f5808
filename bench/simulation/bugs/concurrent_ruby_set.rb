# frozen_string_literal: true

# concurrent-ruby dd2d8cf6: Concurrent::Set was Ruby's Set on CRuby, whose add? is include?, then
# add; two threads are told that they added the element. Fixed: a lock.
module SimulationBench
  module ConcurrentRubySet
    class Elements
      def initialize = @hash = {}

      def add?(element)
        return false if include?(element)

        @hash.store(element, true)
      end

      def include?(element) = @hash.key?(element)
    end

    class LockedElements < Elements
      def initialize
        super
        @lock = Monitor.new
      end

      def add?(element) = @lock.synchronize { super }
    end

    def self.run(set)
      added = Array.new(2) { Thread.new { set.add?(:job) } }.map(&:value)
      SimulationBench.check(added.one?, "one element was added #{added.count(true)} times")
    end
  end

  model "concurrent_ruby_set", source: "concurrent-ruby dd2d8cf6", fault: "include?, then add",
    needs: [:preempt], buggy: ->(_sim) { ConcurrentRubySet.run(ConcurrentRubySet::Elements.new) },
    fixed: ->(_sim) { ConcurrentRubySet.run(ConcurrentRubySet::LockedElements.new) }
end
