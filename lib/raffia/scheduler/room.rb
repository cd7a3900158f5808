# frozen_string_literal: true

module Raffia
  class Scheduler
    # How many fibers there may be is a matter of memory maps: each has two, and Linux allows 65,530 in a process by default.
    #
    # @api private
    module Room
      private

      def make_room(error) = raise(error)
    end
  end
end
