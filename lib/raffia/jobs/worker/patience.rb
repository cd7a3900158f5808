# frozen_string_literal: true

require_relative "../errors"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Goes on asking a store that cannot be reached, ever more seldom. That it is away is said
      # once, and once that it is back.
      #
      # @api private
      class Patience
        # Seconds between two attempts, at first and at most.
        FIRST = 0.1
        MOST = 5.0

        # @return [String, nil] why the store could not do what it was last asked for
        attr_reader :trouble

        # @param log [Logger]
        def initialize(log)
          @log = log
          @away = false
        end

        # @param give_up [#call, nil] asked after each failure, and after each pause
        # @param nap [#call] waits for so many seconds
        # @return [Object] what the block returns; nil when it was given up
        def keep(give_up = nil, nap: Waiter.method(:nap))
          pause = FIRST
          begin
            yield.tap { back if @away }
          rescue StoreUnavailable => error
            away(error)
            return if give_up&.call

            nap.call(pause * (0.8 + rand * 0.4)) # not all workers at once
            return if give_up&.call

            pause = [pause * 2, MOST].min
            retry
          end
        end

        private

        def away(error)
          @log.error({event: "store away", error: error.message}) unless @away
          @away = true
          @trouble = error.message
        end

        def back
          @away = false
          @trouble = nil
          @log.warn({event: "store is back"})
        end
      end
    end
  end
end
