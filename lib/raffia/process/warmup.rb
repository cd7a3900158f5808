# frozen_string_literal: true

require_relative "../base/ractor_local"

module Raffia
  module Process
    # Prepares the heap of a parent for forking, so that pages stay shared: a full collection,
    # compaction, and all survivors in the old generation, which a child's minor collections neither
    # write nor mark.
    #
    # It takes 5 ms, or 60 ms for a million objects. The first call nearly always pays, because new
    # programs have a young heap. Later ones are made when much of the heap is young.
    #
    # @api private
    module Warmup
      # Part of the live slots that may be young: the first time, and later, when most are garbage
      # of the program.
      FIRST, YOUNG = 0.1, 0.5
      # Young slots from which on a second time pays.
      WORTH = 50_000
      # Seconds that it takes, roughly: in any case, and for each live slot.
      LEAST, PER_SLOT = 0.005, 60e-9
      KEY = :raffia_warmed

      def self.call
        return false unless ::Process.respond_to?(:warmup) && due?

        once[:done] = true
        ::Process.warmup
      end

      def self.due?
        live = GC.stat(:heap_live_slots)
        young = live - GC.stat(:old_objects)
        return young > live * FIRST unless once[:done]

        young > WORTH && young > live * YOUNG
      end

      def self.seconds
        return 0.0 unless ::Process.respond_to?(:warmup) && due?

        LEAST + GC.stat(:heap_live_slots) * PER_SLOT
      end

      def self.once = RactorLocal.fetch(KEY) { {done: false} }
      private_class_method :once
    end
  end
end
