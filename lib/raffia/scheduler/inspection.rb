# frozen_string_literal: true

require_relative "parked"
require_relative "subject"
require_relative "slumber"

module Raffia
  class Scheduler
    # Looking in: who waits for what.
    module Inspection
      KEY = :raffia_schedulers
      private_constant :KEY

      # @!method thread
      #   @return [Thread, nil] the one that it belongs to; nil before it has been used

      # The schedulers of the running Ractor that are at work. Changed only by single C calls, which
      # the GVL makes atomic.
      # @api private
      def self.registry = RactorLocal.fetch(KEY) { {}.compare_by_identity }
      registry # in the main Ractor now, before threads could race for it

      # Every fiber that waits, with what it waits for and where. Any thread of the Ractor may ask,
      # and so may a trap handler. Fibers that could go on, and wait for nothing but their turn, are
      # among them until they have it.
      #
      # @param frames [Integer, nil] how long each backtrace may be; nil: no bound
      # @return [Array<Parked>] those first that have waited for longest
      def parked(frames: nil)
        return [] if closed?

        now = Clock.now
        found = waits.sort_by.with_index { |wait, index| [wait.last, index] }
        fibers = found.flat_map { |fiber, owner| [fiber, owner] }.uniq
        subjects = Engine.visible(found.map { |wait| wait[3] })
        found.zip(subjects) { |wait, subject| wait[3] = subject }
        found.map { |wait| parked_one(wait, now, fibers, frames) }.freeze
      end

      private

      def parked_one(wait, now, fibers, frames)
        fiber, owner, reason, subject, fd, events, limit, since = wait
        asleep = Slumber.describe(limit, fiber) if reason == :sleep
        Parked.new(fiber: fiber, owner: owner, reason: reason, subject: subject, fd: fd,
          limit: limit,
          what: Subject.describe(reason, subject, events, asleep).freeze,
          age: [now - since, 0.0].max,
          holder: (Engine.holder(subject, fibers) if ::Thread::Mutex === subject),
          backtrace: [fiber, owner].uniq.flat_map { |one|
            (frames ? one.backtrace(0, frames) : one.backtrace).to_a
          }.freeze)
      end
    end
  end
end
