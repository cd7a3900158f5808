# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../experimental"

module Raffia
  module Process
    class Supervisor
      # Integers in memory that the supervisor and all its workers share. What a worker has written
      # outlives it.
      #
      # Each slot has several lanes, one for each worker that it has at a time: while a new one
      # starts beside an old one, neither writes into the other's. Counters add up over lanes
      # ({sum}); a worker finds in its lane what earlier holders left there. All the room there can
      # ever be is mapped before the first fork, and costs nothing until it is written to.
      class Boards
        # Workers that one slot can have at a time: one that serves, one that starts, and two that
        # finish slow requests.
        LANES = 4
        # Words that the supervisor keeps for itself: what it wants of the worker, and the
        # heartbeat.
        RESERVED = 2

        # @return [Integer] words of a board
        attr_reader :words
        # @return [Integer] slots that there is room for
        attr_reader :slots

        # @param slots [Integer]
        # @param words [Integer]
        def initialize(slots, words)
          @slots = slots
          @words = words
          @memory = Experimental.silently do
            ::IO::Buffer.new(slots * LANES * (words + RESERVED) * 8,
              ::IO::Buffer::MAPPED | ::IO::Buffer::SHARED)
          end
        end

        # @param slot [Integer]
        # @param lane [Integer]
        # @return [Board]
        def board(slot, lane = 0)
          unless (0...@slots).cover?(slot) && (0...LANES).cover?(lane)
            raise ArgumentError, "slot #{slot}, lane #{lane}: there is room for #{@slots} slots of " \
              "#{LANES}"
          end

          Board.new(@memory, (slot * LANES + lane) * (@words + RESERVED) * 8, @words)
        end

        # @param slot [Integer]
        # @return [Array<Board>] its lanes
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

      # The integers of one worker.
      class Board
        # Why a worker ends; none: the supervisor has not told it to.
        WISHES = %i[none dismissed hung].freeze

        # @return [Integer]
        attr_reader :words

        # @param memory [IO::Buffer]
        # @param start [Integer]
        # @param words [Integer]
        def initialize(memory, start, words)
          @memory = memory
          @start = start + Boards::RESERVED * 8
          @words = words
        end

        # @param word [Integer]
        # @return [Integer]
        def [](word) = @memory.get_value(:s64, place(word))

        # @param word [Integer]
        # @param number [Integer] of 64 bits
        def []=(word, number)
          @memory.set_value(:s64, place(word), number)
        end

        # For one writer at a time: threads of a worker that share a word take turns by a lock of
        # their own.
        # @param word [Integer]
        # @return [Integer] the new number
        def add(word, number = 1)
          self[word] = self[word] + number
        end

        # @return [Array<Integer>]
        def to_a = Array.new(@words) { |word| self[word] }

        # "I am alive": the price of reading the clock.
        # @return [void]
        def beat
          @memory.set_value(:f64, @start - 8, Clock.now)
        end

        # @return [Float] when it last did, in the time of {Clock}; 0.0 never
        def beaten = @memory.get_value(:f64, @start - 8)

        # Another worker begins.
        # @return [void]
        def still
          @memory.set_value(:f64, @start - 8, 0.0)
          mark(:none)
        end

        # Says why the worker is about to end, also to one that cannot read messages just now.
        # @param wish [Symbol] of {WISHES}
        # @return [void]
        def mark(wish)
          @memory.set_value(:s64, @start - 16, WISHES.index(wish))
        end

        # @return [Symbol] :none; :dismissed when the supervisor wants it to end; :hung when it is
        #   killed for having no heartbeat
        def wish = WISHES.fetch(@memory.get_value(:s64, @start - 16))

        private

        def place(word)
          raise IndexError, "word #{word}: a board has #{@words}" unless word >= 0 && word < @words

          @start + word * 8
        end
      end
    end
  end
end
