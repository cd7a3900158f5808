# frozen_string_literal: true

require_relative "../../task"

module Raffia
  class Server
    class Admission
      # The deadline of a request, which the application finds as `Raffia.deadline`. Work that turns
      # out to be long, and to be worth it, asks for more:
      #
      #   Raffia.deadline.extend_by(60) # a minute more for an export
      #
      # When it passes, the fiber is cancelled where it waits, and the client is answered 504.
      class TimeLimit < Deadline
        # It has passed. Where the application sets limits of its own, those raise
        # Raffia::TimeoutError alone.
        class Passed < TimeoutError
        end

        # Moves the deadline. What runs under a `Raffia.timeout` of its own still ends with that.
        # @param seconds [Numeric] more
        # @return [self]
        # @raise [ConfigError] when it is not a number of seconds from 0 up
        def extend_by(seconds)
          @at += Deadline.seconds(seconds)
          @limit += seconds
          self
        end

        # @api private
        def error = Passed.new(seconds: limit)

        # Imposes it like {Deadline#impose}, without a Proc for each request.
        # @api private
        def impose
          scheduler = Fiber.current_scheduler or return super
          CancellationStack.enter(self) do |region|
            @region = region
            Deadline.replace(self) { Alarm.of(scheduler).watch(at, self) { yield } }
          end
        end

        # Called by the alarm.
        # @return [Float, nil] when to call again, if it was extended
        # @api private
        def call = expired? ? late(@region) : at

        private

        def fix = nil # it stays as it is: not frozen
      end
    end
  end
end
