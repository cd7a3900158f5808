# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Deadline of a request, which the application finds as `Raffia.deadline`. Long work can
      # extend it:
      #
      #   Raffia.deadline.extend_by(60) # a minute more for an export
      #
      # When it passes, the fiber is cancelled where it waits, and the client gets a 504.
      class TimeLimit < Deadline
        # The deadline has passed. Timeouts that the application sets raise Raffia::TimeoutError
        # alone.
        class Passed < TimeoutError
        end

        # Moves the deadline. A `Raffia.timeout` of the application still ends its own block.
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

        # Imposes it like {Deadline#impose}, without a Proc per request.
        # @api private
        def impose
          scheduler = Fiber.current_scheduler or return super
          CancellationStack.enter(self) do |region|
            @region = region
            Deadline.replace(self) { Alarm.of(scheduler).watch(at, self) { yield } }
          end
        end

        # Called by the alarm. Returns the time of the next call when the limit was extended.
        # @api private
        def call = expired? ? late(@region) : at

        private

        def fix = nil # it stays as it is: not frozen
      end
    end
  end
end
