# frozen_string_literal: true

require_relative "branch"

module Raffia
  module Jobs
    module Durable
      # The branches of one `parallel`, each in a fiber of its own.
      # @api private
      class Branches
        WAITING = Object.new.freeze
        private_constant :WAITING
        Failure = Struct.new(:error)
        private_constant :Failure

        # Calls of the block get an item each.
        def initialize(replay, items, &block)
          @replay = replay
          @items = items
          @block = block
          @prefixes = Branch.current.fork(items.size)
          @results = Array.new(items.size, WAITING)
        end

        # Returns the results in the order of the items. All branches end, or wait, before the error
        # of the first one that failed is raised.
        def call
          run_waiting
          while waiting.any?
            @replay.park
            run_waiting
          end
          @results
        end

        private

        def waiting = @results.each_index.select { |index| @results[index].equal?(WAITING) }

        def run_waiting
          Raffia.run do |scope|
            waiting.each { |index| scope.spawn { @results[index] = run(index) } }
          end
          failed = @results.find { |result| result.is_a?(Failure) }
          raise failed.error if failed
        end

        def run(index)
          Branch.current = Branch.new(@prefixes[index])
          @block.call(@items[index])
        rescue Suspended
          WAITING
        rescue Cancel
          raise
        rescue Exception => error # standard:disable Lint/RescueException
          Failure.new(error)
        end
      end
    end
  end
end
