# frozen_string_literal: true

require_relative "footprint"
require_relative "run"

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Leaves out orders of a run that only swap independent steps: sleep sets, and the reversals
        # that {Run} asks for.
        # @api private
        class Reduction
          # Candidates of the next decision that need not be taken, with what they would do.
          attr_reader :sleep

          # @param recorder [#take, nil] nil: no order is left out
          def initialize(recorder)
            @recorder = recorder
          end

          # Begins a run.
          def start
            @run = Run.new
            @sleep = {}
            @node = nil
            @redundant = @drawn = @unknown = false
            @recorder&.start
          end

          def stop = @recorder&.stop

          # Whether all orders that the run can come to have been seen.
          def redundant? = @redundant

          # All candidates sleep: whatever comes has been seen in another order.
          def give_up = @redundant = true

          # The step that runs has drawn a value.
          def drawn = @drawn = true

          # Nothing is known about steps that depend on a drawn fault.
          def unknown = @unknown = true

          # Whether all candidates are explored: without footprints, and after timers and faults
          # that are drawn, because what depends on them is not known.
          def all?(keys) = @recorder.nil? || (@unknown ||= keys.any?(Array))

          # The run goes on after a decision.
          def enter(node)
            @node = node
            @sleep = @unknown ? {} : node.rest if @recorder
          end

          # Takes the steps since the last decision: of the thread that was chosen, then of those
          # that had to run because they were the only ones.
          def observe
            return unless @recorder
            node, @node = @node, nil
            steps = @recorder.take
            steps = begin_with(node, steps) if node
            steps.each { |_, footprint| footprint.everything! } if @drawn
            node.footprint = steps.first.last if node
            steps.each_with_index do |(thread, footprint), index|
              add(thread, footprint, (node if index.zero?))
            end
            @drawn = false
          end

          # Asks for the orders that are missing, at the end of a run.
          def conclude
            observe
            @run.reverse if @recorder
          end

          private

          # A step that did nothing was not recorded. A timer may do anything.
          def begin_with(node, steps)
            steps = [[node.key, Footprint.new], *steps] unless steps.dig(0, 0) == node.key
            steps.first.last.everything! unless node.key.is_a?(String)
            steps
          end

          # Threads that do not commute with the step wake up. A sleeping thread that has to run,
          # because it is the only one, makes the run redundant.
          def add(thread, footprint, node)
            @redundant = true if !node && @sleep.key?(thread)
            return if @redundant
            @run.add(thread, footprint, node)
            @sleep = @sleep.reject do |other, theirs|
              other == thread || !theirs.independent?(footprint)
            end
          end
        end
      end
    end
  end
end
