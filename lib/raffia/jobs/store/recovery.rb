# frozen_string_literal: true

require_relative "crash_verdict"

module Raffia
  module Jobs
    class Store
      # Returns the jobs of dead workers to their queues. Any worker may do it at any time.
      class Recovery < Group
        # Takes the jobs of expired leases, as {#report_death} does when it is not known what had
        # begun.
        # @return [Array<RecoveredJob>] in the order of their queues' front
        def recover = raise(NotImplementedError)

        # Ends the lease of a worker whose process has died. Its jobs go to the front of their
        # queues.
        #
        # * A job that had not begun is not charged.
        # * The only one that had begun gets one crash more, and goes to `dead` at the third.
        # * Several that had begun get one crash if they have none, and are suspects from then on.
        #   Suspects run alone, so the next death tells which one it was.
        # @param begun [Array<Array(Integer, Integer)>, nil] {Claim#key} of those that had begun;
        #   nil: unknown, any of them may have
        # @return [Array<RecoveredJob>] as {#recover}; with no crashes where a job was not charged
        def report_death(lease, begun) = raise(NotImplementedError)
      end
    end
  end
end
