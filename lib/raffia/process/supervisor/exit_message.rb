# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # The log's sentence about a worker that has ended.
      #
      # @api private
      module ExitMessage
        # nil for one that did as it was told.
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
