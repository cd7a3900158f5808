# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # Two accesses to one variable by two threads, at least one a write, that no synchronization
      # orders.
      class Race
        # @return [String] such as "@count of Counter"
        attr_reader :variable
        # @return [AccessHistory::Entry] the access that came first in the run
        # @api private
        attr_reader :first
        # @return [AccessHistory::Entry]
        # @api private
        attr_reader :second

        # @api private
        def initialize(variable, first, second)
          @variable = variable
          # Races outlive their world, so they keep no threads.
          @first, @second = [first, second].map do |access|
            access.with(thread: access.thread.path, locks: [])
          end
        end

        # @return [Array<String>] file and line of both accesses
        def places = [@first.place, @second.place]

        # @return [Array<String>] paths of both threads
        def threads = [@first.thread, @second.thread]

        # CRuby switches threads at some places only. No such place lies between the reads and the
        # writes of this pair, so each of them takes effect as a whole. Other Rubies may lose one.
        # @return [Boolean]
        def harmless_on_cruby? = [@first, @second].none?(&:torn)

        # @return [String]
        def to_s
          "data race on #{@variable}#{" (harmless on CRuby)" if harmless_on_cruby?}: " \
            "#{describe(@first)}, #{describe(@second)}. Nothing orders the two: hold the same " \
            "Mutex at both places, or hand the value over by a Queue or Thread#join."
        end

        # Pairs of the same places are one race.
        # @api private
        def key = [@variable, *places.sort]

        private

        def describe(access)
          "thread #{access.thread} #{access.write ? "writes" : "reads"} at #{access.place}"
        end
      end
    end
  end
end
