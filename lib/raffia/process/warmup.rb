# frozen_string_literal: true

module Raffia
  module Process
    # Prepares the heap of a parent for forking, so that its pages stay shared with the children: a full collection, compaction,
    # and every survivor moved to the old generation, where a child's collections do not write to it.
    #
    # It is worth it when much of the heap is young, and costs milliseconds to tens of them, so a heap that is mostly old
    # already (because it was warmed before) is left alone. Nothing has to be remembered for that: the collector knows.
    #
    # @api private
    module Warmup
      # Part of the live slots that may be young.
      YOUNG = 0.5
      # A heap of fewer young slots than this is not worth the time.
      WORTH = 50_000

      # @return [Boolean] whether the heap was warmed now
      def self.call
        return false unless ::Process.respond_to?(:warmup) && due?

        ::Process.warmup
      end

      # @return [Boolean]
      def self.due?
        live = GC.stat(:heap_live_slots)
        young = live - GC.stat(:old_objects)
        young > WORTH && young > live * YOUNG
      end
    end
  end
end
