# frozen_string_literal: true

require_relative "../experimental_warning"
require_relative "scoreboard"

module Raffia
  module Process
    class Supervisor
      # Integers in memory that the supervisor and all workers share. They outlive the workers.
      #
      # A slot has several lanes, one for each worker that it has at a time, so that an old and a
      # new worker never write to the same one. Counters add up over lanes ({sum}); a worker finds
      # in its lane what earlier holders left. All memory is mapped before the first fork, and costs
      # nothing until it is written.
      class Scoreboards
        # Workers that one slot can have at a time: one that serves, one that starts, and two that
        # finish slow requests.
        LANES = 4

        # @return [Integer] words of a board
        attr_reader :words
        # @return [Integer] slots that there is room for
        attr_reader :slots

        # @param slots [Integer]
        # @param words [Integer]
        def initialize(slots, words)
          @slots = slots
          @words = words
          @memory = ExperimentalWarning.silence do
            ::IO::Buffer.new(slots * LANES * (words + Scoreboard::RESERVED) * 8,
              ::IO::Buffer::MAPPED | ::IO::Buffer::SHARED)
          end
        end

        # @param slot [Integer]
        # @param lane [Integer]
        # @return [Scoreboard]
        def board(slot, lane = 0)
          unless (0...@slots).cover?(slot) && (0...LANES).cover?(lane)
            raise ArgumentError,
              "slot #{slot}, lane #{lane}: there is room for #{@slots} slots of " \
              "#{LANES}"
          end

          size = (@words + Scoreboard::RESERVED) * 8
          Scoreboard.new(@memory, (slot * LANES + lane) * size, @words)
        end

        # @param slot [Integer]
        # @return [Array<Scoreboard>] its lanes
        def of(slot) = Array.new(LANES) { |lane| board(slot, lane) }

        # @param word [Integer]
        # @param slots [Enumerable<Integer>]
        # @return [Integer] of all lanes
        def sum(word, slots = 0...@slots)
          slots.sum { |slot| of(slot).sum { |board| board[word] } }
        end

        # Give the memory back on this side of a fork.
        # @return [void]
        def free = @memory.free
      end
    end
  end
end
