# frozen_string_literal: true

require_relative "intake"

module Raffia
  module Jobs
    class Worker
      # Claims suspects, one at a time, and ends the worker when there are none left.
      #
      # @api private
      class SuspectIntake < Intake
        private

        def take(_room)
          claims = claim_suspect
          return @stop.call if claims.empty?
          return @patience.keep { @store.release(claims) } if @closed # meanwhile

          enter(claims)
        end
      end
    end
  end
end
