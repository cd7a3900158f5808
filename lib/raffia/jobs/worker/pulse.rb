# frozen_string_literal: true

require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Tells whoever watches this process that its loop turns.
      #
      # @api private
      class Pulse
        # Seconds.
        INTERVAL = 1

        # @param heart [#beat]
        def initialize(heart) = @heart = heart

        # For ever.
        def run
          loop do
            @heart.beat
            Waiter.nap(INTERVAL)
          end
        end
      end
    end
  end
end
