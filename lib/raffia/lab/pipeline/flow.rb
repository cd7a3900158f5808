# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../task"

module Raffia
  module Lab
    class Pipeline < Experiment
      # The three stages with channels between them. Readers and writers are fibers, which only
      # wait; a pool does the work that takes CPU. A slow stage makes earlier ones wait, so there
      # are never many documents in memory.
      class Flow
        READERS = 8
        WRITERS = 2
        # Documents between two stages.
        BETWEEN = 8

        # read takes an index and returns a text. pack is the pool's work on it. write takes an
        # index and the pool's result, and returns the result of the pipeline.
        def initialize(indexes, read:, pack:, write:)
          @indexes = indexes
          @read = read
          @pack = pack
          @write = write
        end

        # Returns the results in the order of the indexes. on: the strategy of the pool.
        def run(on:, workers:)
          Raffia.run do |scope|
            results = Array.new(@indexes.size)
            Pool.open(on:, workers:, work: @pack) do |pool|
              texts = stage(scope, READERS, source(scope)) { |index| @read.call(index) }
              # Two for each worker, so that it has work while a result is on its way.
              packed = stage(scope, 2 * workers, texts) { |_, text| pool.submit(text).value }
              stage(scope, WRITERS, packed) { |index, made| @write.call(index, made) }
                .each { |index, result| results[index] = result }
            end
            results
          end
        end

        private

        def source(scope)
          channel = Channel.new(BETWEEN)
          scope.spawn do
            @indexes.each { |index| channel << index }
            channel.close
          end
          channel
        end

        # A channel of indexes and the block's values. It is closed after the last one.
        def stage(scope, fibers, from)
          to = Channel.new(BETWEEN)
          tasks = Array.new(fibers) do
            scope.spawn { from.each { |index, value| to << [index, yield(index, value)] } }
          end
          scope.spawn { tasks.each(&:join) && to.close }
          to
        end
      end
    end
  end
end
