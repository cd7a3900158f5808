# frozen_string_literal: true

require_relative "flows"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # For stores with {HeldClaims}: a job that leaves its worker is not held any more.
        # @api private
        class HeldFlows < Flows
          needs :database, :cleanup, :enqueue, :flow_table, :held

          private

          def left(claim)
            answer = yield
            @held.remove([claim]) unless %i[done pending cancelling ready].include?([*answer].first)
            answer
          end
        end
      end
    end
  end
end
