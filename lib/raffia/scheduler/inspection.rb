# frozen_string_literal: true

require_relative "parked"
require_relative "wait_text"
require_relative "sleep_inspection"

module Raffia
  class Scheduler
    # Lists the waits of a scheduler for people and programs.
    #
    # @api private
    class Inspection
      # +frames+: the length of each backtrace at most, or nil.
      def initialize(scheduler, frames)
        @waits = scheduler.waits.sort_by.with_index { |wait, index| [wait.last, index] }
        @fibers = @waits.flat_map { |fiber, owner| [fiber, owner] }.uniq
        @frames = frames
        @now = Clock.now
      end

      def parked
        subjects = Engine.visible(@waits.map { |wait| wait[3] })
        @waits.zip(subjects).map { |wait, subject| describe(wait, subject) }.freeze
      end

      private

      def describe(wait, subject)
        fiber, owner, reason, _, fd, events, limit, since = wait
        asleep = SleepInspection.describe(limit, fiber) if reason == :sleep
        Parked.new(fiber: fiber, owner: owner, reason: reason, subject: subject, fd: fd,
          limit: limit, age: [@now - since, 0.0].max,
          what: WaitText.describe(reason, subject, events, asleep).freeze,
          holder: (Engine.holder(subject, @fibers) if ::Thread::Mutex === subject),
          backtrace: [fiber, owner].uniq.flat_map { |one| backtrace(one) }.freeze)
      end

      def backtrace(fiber)
        (@frames ? fiber.backtrace(0, @frames) : fiber.backtrace).to_a
      end
    end
  end
end
