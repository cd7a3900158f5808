# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Integers of one worker in shared memory.
      class Scoreboard
        # Words that the supervisor keeps for itself: why the worker is to end, and its heartbeat.
        RESERVED = 2
        # Why a worker ends; :none: it was not asked to.
        STOP_REASONS = %i[none dismissed hung].freeze

        # @return [Integer]
        attr_reader :words

        # @api private
        def initialize(memory, start, words)
          @memory = memory
          @start = start + RESERVED * 8
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

        # Allows one writer at a time: threads that share a word take turns by a lock of their own.
        # @param word [Integer]
        # @return [Integer] the new number
        def add(word, number = 1)
          self[word] = self[word] + number
        end

        # @return [Array<Integer>]
        def to_a = Array.new(@words) { |word| self[word] }

        # The worker's heartbeat: costs a read of the clock.
        # @return [void]
        def beat
          @memory.set_value(:f64, @start - 8, Clock.now)
        end

        # @return [Float] when it last did, in the time of {Clock}; 0.0 never
        def last_beat = @memory.get_value(:f64, @start - 8)

        # Another worker begins.
        # @return [void]
        def reset
          @memory.set_value(:f64, @start - 8, 0.0)
          mark(:none)
        end

        # Says why the worker is about to end, also to one that cannot read messages just now.
        # @api private
        def mark(stop_reason)
          @memory.set_value(:s64, @start - 16, STOP_REASONS.index(stop_reason))
        end

        # @return [Symbol] :none; :dismissed when the supervisor wants it to end; :hung when it is
        # killed for having no heartbeat
        def stop_reason = STOP_REASONS.fetch(@memory.get_value(:s64, @start - 16))

        private

        def place(word)
          raise IndexError, "word #{word}: a board has #{@words}" unless word >= 0 && word < @words

          @start + word * 8
        end
      end
    end
  end
end
