# frozen_string_literal: true

require_relative "../memory"

module Raffia
  module Process
    class Supervisor
      # What {Supervisor#status} says: plain data, which JSON knows.
      #
      # @api private
      class Report
        # @param slot [Slot]
        # @return [Hash]
        def self.slot(slot)
          {index: slot.index, state: slot.state, pid: slot.current&.pid, generation: slot.current&.nursery&.generation,
           since: slot.current&.since, restarts: [slot.starts - 1, 0].max, last_exit: slot.last_exit,
           leaving: slot.leaving.map(&:pid), successor: slot.successor&.pid}
        end

        # @param loop [Loop]
        def initialize(loop)
          @loop = loop
          @slots = loop.fleet.slots
        end

        # @return [Hash]
        def to_h
          {name: @loop.settings.name, pid: ::Process.pid, state: @loop.state, generation: @loop.restart.generation,
           restart: {phase: @loop.restart.phase, last: @loop.restart.last}, workers: @slots.size,
           ready: @slots.count { |slot| slot.current&.ready? }, molds: @loop.fleet.nurseries.pids,
           slots: @slots.map { |slot| measured(slot) }}
        end

        private

        def measured(slot)
          memory = slot.current&.pid && Memory.of(slot.current.pid)
          self.class.slot(slot).merge(pss: memory&.pss, private_dirty: memory&.private_dirty)
        end
      end
    end
  end
end
