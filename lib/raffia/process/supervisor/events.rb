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
        # Signals that end a worker from outside, rather than by what it does itself.
        FOREIGN = %w[SIGKILL SIGTERM].freeze
        private_constant :FOREIGN

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
          @loop.renewals.ready(slot, member)
          @loop.hook(:on_worker_ready, Report.slot(slot))
          @loop.running if @loop.booting? && @loop.fleet.serving?
        end

        # A worker could not load the application. Before any worker has served, the program ends
        # then; a successor that fails ends only its restart.
        # @param slot [Slot]
        # @param member [Member]
        # @return [void]
        def load_failed(slot, member)
          if !@loop.booting? || member.equal?(slot.successor) || @loop.fleet.members.any?(&:ready?)
            return
          end

          @loop.give_up("the worker's code could not be loaded; its own message, above, says why.")
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
          await_next(slot, member, role, how) unless @loop.stopping?
          member.gone
          @loop.hook(:on_worker_exit, Report.slot(slot), how)
        end

        private

        # By its own wish, or somebody sent it SIGTERM. The next one need not wait until it has
        # finished.
        def leave(slot, member)
          member.drain(@drain_timeout, "asked to leave")
          slot.vacate(Clock.now) if member.equal?(slot.current) && !@loop.stopping?
        end

        def await_next(slot, member, role, how)
          slot.due = Clock.now + pause(slot, member, how) if role == :current
          return unless role == :successor

          nursery = @loop.renewals.lost(slot)
          @loop.restart.failed(slot, nursery) unless slot.retired # its workers were told to leave
        end

        def pause(slot, member, how)
          now = Clock.now
          slot.crashes.died(now, member.served(now), killed: killed?(member, how))
        end

        # Whether it was no fault of the worker: the process that was to fork it has ended, or
        # somebody has killed it. Before all workers have served once nobody can tell that from a
        # fault: the kernel, for example, kills what needs too much memory.
        def killed?(member, how)
          return member.nursery.dead? unless how.pid

          !@loop.booting? && member.reason.nil? && FOREIGN.include?(how.signal)
        end
      end
    end
  end
end
