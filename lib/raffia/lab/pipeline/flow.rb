# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../task"

module Raffia
  module Lab
    class Pipeline < Experiment
      # The three stages side by side, with channels between them: readers and writers are fibers,
      # which only wait, and what takes CPU goes to a pool. A stage that is slow makes the ones
      # before it wait, so there are never many documents in memory.
      class Flow
        READERS = 8
        WRITERS = 2
        # Documents between two stages.
        BETWEEN = 8

        # @param indexes [Range] of the documents
        # @param read [#call] takes an index, gives a text
        # @param pack [Proc] what the pool is to do with it
        # @param write [#call] takes an index and what the pool made of the text, gives the result
        def initialize(indexes, read:, pack:, write:)
          @indexes = indexes
          @read = read
          @pack = pack
          @write = write
        end

        # @param on [Symbol] the strategy of the pool
        # @param workers [Integer]
        # @return [Array] the results, in the order of the indexes
        def run(on:, workers:)
          Raffia.run do |scope|
            results = Array.new(@indexes.size)
            Pool.open(on:, workers:, work: @pack) do |pool|
              texts = stage(scope, READERS, asked(scope)) { |index| @read.call(index) }
              # Two for each worker: while the one's result is on its way, the next has something to
              # do.
              packed = stage(scope, 2 * workers, texts) { |_, text| pool.submit(text).value }
              stage(scope, WRITERS, packed) { |index, made| @write.call(index, made) }
                .each { |index, result| results[index] = result }
            end
            results
          end
        end

        private

        def asked(scope)
          channel = Channel.new(BETWEEN)
          scope.spawn do
            @indexes.each { |index| channel << index }
            channel.close
          end
          channel
        end

        # @return [Channel] of indexes and what the block made of them; it is closed when nothing
        #   more can come
        def stage(scope, fibers, from)
          to = Channel.new(BETWEEN)
          crew = Array.new(fibers) do
            scope.spawn { from.each { |index, value| to << [index, yield(index, value)] } }
          end
          scope.spawn { crew.each(&:join) && to.close }
          to
        end
      end
    end
  end
end
