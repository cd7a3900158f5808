# frozen_string_literal: true

require_relative "../../task"
require_relative "../crew/driver"

module Raffia
  class Pool
    class Auto
      # Drivers in fibers of a loop of their own, in a thread beside the caller, who may be in the
      # middle of reading the input.
      #
      # @api private
      class Annex
        # @return [Integer] how many drivers there are to wait for
        attr_reader :size

        # @param desk [Traversal]
        # @param workers [Integer]
        # @yieldreturn [Seat]
        def initialize(desk, workers, &seats)
          @desk = desk
          @workers = workers
          @seats = seats
          @size = 0
        end

        # @return [void]
        def start(count)
          @size = count
          @thread = Thread.new { host }
        end

        # @return [void]
        def grow(_feed) = @thread || start(@workers)

        # @return [void]
        def join = @thread&.join

        # @return [void]
        def stop = @thread&.kill&.join

        private

        def host
          Thread.current.name = "raffia fibers"
          Thread.current.report_on_exception = false
          Strategy::Fibers.run do
            Scope.open { |scope| @size.times { scope.spawn { Driver.run(@desk, @seats, &:call) } } }
          end
        rescue => error
          @desk.crash(error, nil)
        end
      end
    end
  end
end
