# frozen_string_literal: true

require_relative "status_report"

module Raffia
  module Process
    class Supervisor
      # Handles messages of workers and their deaths.
      #
      # @api private
      class WorkerEventHandler
        FOREIGN = %w[SIGKILL SIGTERM].freeze
        private_constant :FOREIGN

        def initialize(loop)
          @loop = loop
          @drain_timeout = loop.settings.drain_timeout
        end

        def ready(slot, worker)
          worker.ready
          slot.backoff.booted
          @loop.replacements.ready(slot, worker)
          @loop.hook(:on_worker_ready, StatusReport.slot(slot))
          @loop.running if @loop.booting? && @loop.manager.serving?
        end

        # A worker could not load the application. Before any worker has served, the program ends
        # then; a successor that fails ends only its restart.
        def load_failed(slot, worker)
          if !@loop.booting? || worker.equal?(slot.successor) ||
              @loop.manager.workers.any?(&:ready?)
            return
          end

          @loop.give_up("the worker's code could not be loaded; its own message, above, says why.")
        end

        def received(slot, worker, name, data)
          case name
          when "leaving" then leave(slot, worker)
          when "status" then worker.tell(:status, @loop.report)
          else @loop.hook(:on_message, slot.index, name, data)
          end
        end

        def lost(slot, worker, role, how)
          slot.note_exit(how, worker) unless worker.draining? && how.clean?
          message = ExitMessage.of(slot, worker, how)
          @loop.settings.log&.warn(message) if message
          await_next(slot, worker, role, how) unless @loop.stopping?
          worker.gone
          @loop.hook(:on_worker_exit, StatusReport.slot(slot), how)
        end

        private

        # It asked to, or got SIGTERM. Its successor need not wait until it has finished.
        def leave(slot, worker)
          worker.drain(@drain_timeout, "asked to leave")
          slot.vacate(Clock.now) if worker.equal?(slot.current) && !@loop.stopping?
        end

        def await_next(slot, worker, role, how)
          slot.due = Clock.now + pause(slot, worker, how) if role == :current
          return unless role == :successor

          forker = @loop.replacements.lost(slot)
          @loop.restart.failed(slot, forker) unless slot.retired # its workers are to leave
        end

        def pause(slot, worker, how)
          now = Clock.now
          slot.backoff.died(now, worker.served(now), killed: killed?(worker, how))
        end

        # Whether it was no fault of the worker: its forker has ended, or it was killed from
        # outside. Before all workers have served once that may be a fault: the kernel kills what
        # needs too much memory.
        def killed?(worker, how)
          return worker.forker.dead? unless how.pid

          !@loop.booting? && worker.reason.nil? && FOREIGN.include?(how.signal)
        end
      end

      # The log's sentence about a worker that has ended.
      #
      # @api private
      module ExitMessage
        # nil for a worker that ended as it was asked to.
        def self.of(slot, worker, how)
          return if worker.draining? && how.clean?
          return not_forked(slot, worker) unless how.pid

          ending = if how.signal
            "was killed by #{how.signal}"
          else
            "exited with status #{how.status.inspect}"
          end
          "worker #{slot.index} (#{how.pid}) #{ending} while it was " \
            "#{worker.state}#{" (#{worker.reason})" if worker.reason}"
        end

        # nil when the log has the cause: a fork or a load that failed.
        def self.not_forked(slot, worker)
          unless worker.reason || worker.forker.state == :failed
            "worker #{slot.index} could not be forked"
          end
        end
        private_class_method :not_forked
      end
    end
  end
end
