# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Makes {Supervisor#status}: plain data, which JSON knows.
      #
      # @api private
      class StatusReport
        def self.slot(slot)
          current = slot.current # the loop may change it meanwhile, where another thread asks
          {index: slot.index, state: slot.state, pid: current&.pid,
           generation: current&.forker&.generation, since: current&.since,
           restarts: [slot.starts - 1, 0].max, last_exit: slot.last_exit,
           leaving: slot.leaving.map(&:pid), successor: slot.successor&.pid}
        end

        def initialize(loop)
          @loop = loop
          @slots = loop.manager.slots
        end

        def to_h
          {name: @loop.settings.name, pid: ::Process.pid, state: @loop.state,
           generation: @loop.restart.generation,
           restart: {phase: @loop.restart.phase, last: @loop.restart.last}, workers: @slots.size,
           ready: @slots.count { |slot| slot.current&.ready? },
           templates: @loop.manager.forkers.pids, autoscaler: @loop.autoscaler&.report,
           handover: @loop.handover.report,
           slots: @slots.map { |slot| measured(slot) }}
        end

        private

        def measured(slot)
          report = self.class.slot(slot)
          memory = report[:pid] && Memory.of(report[:pid])
          report.merge(pss: memory&.pss, private_dirty: memory&.private_dirty)
        end
      end
    end
  end
end
