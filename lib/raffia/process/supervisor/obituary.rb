# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # What the log says of a worker that has ended.
      #
      # @api private
      module Obituary
        # @param slot [Slot]
        # @param member [Member]
        # @param how [Exit]
        # @return [String, nil] nil for one that did as it was told
        def self.of(slot, member, how)
          return if member.draining? && how.clean?
          return unborn(slot, member) unless how.pid

          ending = if how.signal
            "was killed by #{how.signal}"
          else
            "exited with status #{how.status.inspect}"
          end
          "worker #{slot.index} (#{how.pid}) #{ending} while it was " \
            "#{member.state}#{" (#{member.reason})" if member.reason}"
        end

        # @return [String, nil] nil when the log has the cause: a fork or a load that failed
        def self.unborn(slot, member)
          unless member.reason || member.nursery.state == :failed
            "worker #{slot.index} could not be forked"
          end
        end
        private_class_method :unborn
      end
    end
  end
end
