# frozen_string_literal: true

require_relative "../task"

module Raffia
  class Pool
    # The work of a call: what every worker does with its chunks.
    #
    # operation:: the name of a method of {Work}
    # block:: the user's
    # seed:: where a fold starts, {Work::NOTHING} for its first item; or the errors on which the
    #        operations of {Retry::Operations} try again
    #
    # @api private
    Plan = Data.define(:operation, :block, :seed) do
      # @param seconds [Numeric, nil] for each call of the block
      # @return [Plan] the same work under that limit
      def within(seconds)
        return self unless seconds

        work = block
        with(block: ->(*arguments) { Raffia.timeout(seconds) { work.call(*arguments) } })
      end
    end
  end
end
