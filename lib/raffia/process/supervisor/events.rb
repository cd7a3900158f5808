# frozen_string_literal: true

require_relative "obituary"
require_relative "report"

module Raffia
  module Process
    class Supervisor
      # What becomes of it when a worker says something, or ends.
      #
      # @api private
      class Events
        # @param loop [Loop]
        def initialize(loop)
          @loop = loop
          @drain_timeout = loop.settings.drain_timeout
        end

        # @param slot [Slot]
        # @param member [Member]
        # @return [void]
        def ready(slot, member)
          member.ready
          slot.crashes.booted
          @loop.renewals.ready(slot)
          @loop.hook(:on_worker_ready, Report.slot(slot))
          @loop.running if @loop.booting? && @loop.fleet.slots.all? { |one| one.current&.ready? }
        end

        # @param name [String]
        # @param data [Object, nil]
        # @return [void]
        def heard(slot, member, name, data)
          case name
          when "leaving" then leave(slot, member)
          when "status" then member.tell(:status, @loop.report)
          else @loop.hook(:on_message, slot.index, name, data)
          end
        end

        # @param role [Symbol] that it had in its slot
        # @param how [Exit]
        # @return [void]
        def lost(slot, member, role, how)
          slot.note_exit(how, member) unless member.draining? && how.clean?
          obituary = Obituary.of(slot, member, how)
          @loop.settings.log&.warn(obituary) if obituary
          await_next(slot, member, role) unless @loop.stopping?
          member.gone
          @loop.hook(:on_worker_exit, Report.slot(slot), how)
        end

        private

        # By its own wish, or somebody sent it SIGTERM. The next one need not wait until it has finished.
        def leave(slot, member)
          member.drain(@drain_timeout, "asked to leave")
          slot.vacate(Clock.now) if member.equal?(slot.current) && !@loop.stopping?
        end

        def await_next(slot, member, role)
          now = Clock.now
          slot.due = now + slot.crashes.died(now, member.served(now)) if role == :current
          @loop.restart.failed(slot, @loop.renewals.lost(slot)) if role == :successor
        end
      end
    end
  end
end
