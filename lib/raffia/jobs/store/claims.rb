# frozen_string_literal: true

require_relative "fair_order"

module Raffia
  module Jobs
    class Store
      # Gives waiting jobs to workers.
      class Claims < Group
        def initialize(...)
          super
          @expired = {}
          @expired_lock = SpinLock.new
        end

        # Takes jobs without waiting. Expired jobs are discarded, jobs over their limit become
        # `blocked`, paused queues are skipped. The keys of jobs that are unique until their start
        # become free.
        # @param queues [Array<String>] in this order; within one by priority, then by age
        # @param ahead [Boolean] also jobs whose rate opens soon; {Claim#delay} tells when they may
        #   begin. It is for a worker without other work, which holds them until then
        # @param suspects [Boolean] only jobs that run alone, see {Recovery#report_death}, or none
        # @return [Array<Claim>] empty when no job waits, or the lease is lost
        def claim(lease, queues, limit, suspects: false, ahead: false)
          raise(NotImplementedError)
        end

        # @return [Boolean] whether {#claim} with `suspects: true` has something to take
        def suspects?(queues) = raise(NotImplementedError)

        # @return [Hash{String => Integer}] jobs that claims of this object have discarded since it
        #   was made, by queue
        def expired = @expired_lock.hold { @expired.dup }

        private

        # A transaction that is repeated may count twice.
        def count_expired(queue, by = 1)
          @expired_lock.hold { @expired[queue] = @expired.fetch(queue, 0) + by }
        end
      end
    end
  end
end
