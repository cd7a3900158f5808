# frozen_string_literal: true

require_relative "scoreboard"

module Raffia
  module Process
    class Supervisor
      # Integers in memory that the supervisor and all workers share. They outlive the workers.
      #
      # A slot has several rows, one for each worker that it has at a time, so that an old and a new
      # worker never write to the same one. Counters add up over rows ({sum}); a worker finds in its
      # row what earlier holders left. All memory is mapped before the first fork, and costs nothing
      # until it is written.
      class Scoreboards
        # Workers that one slot can have at a time: one that serves, one that starts, and two that
        # finish slow requests.
        ROWS = 4

        # @return [Integer] words of a board
        attr_reader :words
        # @return [Integer] how many slots fit
        attr_reader :slots

        # @param slots [Integer]
        # @param words [Integer] of a board
        def initialize(slots, words)
          @slots = slots
          @words = words
          @held = slots * ROWS * (words + Scoreboard::RESERVED) * 8
          @memory = ExperimentalWarning.silence do
            ::IO::Buffer.new(@held + 8, ::IO::Buffer::MAPPED | ::IO::Buffer::SHARED)
          end
        end

        # @param slot [Integer]
        # @param row [Integer]
        # @return [Scoreboard]
        def board(slot, row = 0)
          unless (0...@slots).cover?(slot) && (0...ROWS).cover?(row)
            raise ArgumentError,
              "slot #{slot}, row #{row}: there is room for #{@slots} slots of " \
              "#{ROWS}"
          end

          size = (@words + Scoreboard::RESERVED) * 8
          Scoreboard.new(@memory, (slot * ROWS + row) * size, @words)
        end

        # @param slot [Integer]
        # @return [Array<Scoreboard>] its rows
        def of(slot) = Array.new(ROWS) { |row| board(slot, row) }

        # @param word [Integer]
        # @param slots [Enumerable<Integer>]
        # @return [Integer] of all rows
        def sum(word, slots = 0...@slots)
          slots.sum { |slot| of(slot).sum { |board| board[word] } }
        end

        # Whether workers are to wait before they serve, see {WorkerContext#held?}.
        # @return [Boolean]
        def held? = @memory.get_value(:s64, @held) == 1

        # @api private
        def held=(held)
          @memory.set_value(:s64, @held, held ? 1 : 0)
        end

        # Frees the memory on this side of a fork.
        # @return [void]
        def free = @memory.free
      end
    end
  end
end
