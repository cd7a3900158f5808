# frozen_string_literal: true

require_relative "../../../process/supervisor/scoreboards"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Two numbers in memory that a worker shares with its process: a request that the job should
        # end, and the job's progress.
        # @api private
        class SharedStatus
          REQUESTS = {stopping: 1, cancelled: 2}.freeze
          # One is added, so that 0 is nothing yet.
          SCALE = 1_000_000
          private_constant :REQUESTS, :SCALE

          # Before the processes are forked.
          def self.several(count)
            board = Process::Supervisor::Scoreboards.new(1, count * 2).board(0)
            Array.new(count) { |index| new(board, index) }
          end

          attr_reader :index

          def initialize(board, index)
            @board = board
            @index = index
          end

          # Returns itself.
          def clear
            @board[@index * 2] = @board[@index * 2 + 1] = 0
            self
          end

          def request(reason) = @board[@index * 2] = REQUESTS.fetch(reason)

          def requested? = @board[@index * 2].positive?

          def cancelled? = @board[@index * 2] == REQUESTS[:cancelled]

          def progress=(share)
            @board[@index * 2 + 1] = (share * SCALE).to_i + 1
          end

          def progress
            number = @board[@index * 2 + 1]
            (number - 1).fdiv(SCALE) if number.positive?
          end
        end
      end
    end
  end
end
