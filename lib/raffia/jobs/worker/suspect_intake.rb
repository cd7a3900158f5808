# frozen_string_literal: true

require_relative "intake"

module Raffia
  module Jobs
    class Worker
      # Claims suspects, one at a time, and ends the worker when there are none left.
      #
      # @api private
      class SuspectIntake < Intake
        # @param parent [LeaseMonitor::Isolation::Parent, nil] says whether the worker beside this
        #   one ends
        def initialize(*, parent:, &)
          super(*, &)
          @parent = parent
          @over = false
        end

        private

        # Once it has found none it claims no more: the worker is ending by then, and the death of
        # one that ends is charged to no job.
        def take(_room)
          return idle if @over
          # A later worker takes what another process for suspects was told to give back.
          return leave if @parent&.wish == :dismissed

          claims = claim_suspect
          return leave if claims.empty?
          return @patience.keep { @store.release(claims) } if @closed # meanwhile

          enter(claims)
        end

        def leave
          @over = true
          @stop.call
        end
      end
    end
  end
end
