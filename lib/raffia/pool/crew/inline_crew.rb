# frozen_string_literal: true

require_relative "driver"

module Raffia
  class Pool
    # No workers: the caller drives. What comes out of the block (an exception, +break+, +throw+, a
    # timeout) needs no carrying.
    #
    # @api private
    class InlineCrew
      # @param desk [Traversal, Pool]
      # @yieldreturn [Seat]
      def initialize(desk, _workers)
        @desk = desk
        @seat = yield
      end

      # @return [Integer] how many drivers there are to wait for
      def size = 0

      def open = yield

      # @return [void]
      def join = nil

      # @return [void]
      def start(_count) = Driver.serve(@desk, @seat, wait: false)

      # Work off what waits.
      # @return [void]
      def grow(_feed) = start(1)
    end
  end
end
