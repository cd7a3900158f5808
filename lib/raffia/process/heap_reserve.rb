# frozen_string_literal: true

module Raffia
  module Process
    # Extends the heap of a child that allocates much. A heap that was compacted before the fork has
    # few free slots, so the child would collect garbage every few thousand objects.
    #
    # @api private
    class HeapReserve
      # Free slots of the smallest size, which nearly all short-lived objects have. Less than a
      # megabyte.
      SLOTS = 20_000
      COLLECTIONS = 4

      def initialize
        @from = GC.count
        @made = false
      end

      # To be called now and then in the child; extends the heap once. Whether it did.
      def call
        return false if @made || GC.count - @from < COLLECTIONS

        @made = true
        make
      end

      private

      def make
        disabled = GC.disable
        Array.new(SLOTS) { Object.new }
        true
      ensure
        GC.enable unless disabled
      end
    end
  end
end
