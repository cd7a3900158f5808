# frozen_string_literal: true

require_relative "../../../process/supervisor/scoreboards"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Two numbers in memory that a worker shares with a process of its: the order that the job
        # was given, and its progress.
        #
        # @api private
        class SharedStatus
          ORDERS = {stopping: 1, cancelled: 2}.freeze
          # One is added, so that 0 is nothing yet.
          SCALE = 1_000_000
          private_constant :SCALE

          # @param count [Integer]
          # @return [Array<SharedStatus>] made before the processes are forked
          def self.several(count)
            board = Process::Supervisor::Scoreboards.new(1, count * 2).board(0)
            Array.new(count) { |index| new(board, index) }
          end

          # @return [Integer] its number
          attr_reader :index

          def initialize(board, index)
            @board = board
            @index = index
          end

          # For the next job.
          # @return [self]
          def clear
            @board[@index * 2] = @board[@index * 2 + 1] = 0
            self
          end

          # @param order [Symbol] of {ORDERS}
          def tell(order) = @board[@index * 2] = ORDERS.fetch(order)

          # @return [Boolean]
          def told? = @board[@index * 2].positive?

          # @return [Boolean]
          def cancelled? = @board[@index * 2] == ORDERS[:cancelled]

          # @param share [Float]
          def progress=(share)
            @board[@index * 2 + 1] = (share * SCALE).to_i + 1
          end

          # @return [Float, nil]
          def progress
            number = @board[@index * 2 + 1]
            (number - 1).fdiv(SCALE) if number.positive?
          end
        end
      end
    end
  end
end
