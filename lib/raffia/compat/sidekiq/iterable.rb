# frozen_string_literal: true

require_relative "job"
require_relative "iterable/enumerators"
require_relative "iterable/walk"

module Sidekiq
  module Job
    # A long job in steps, which continues at the step where it stopped.
    #
    # `build_enumerator(*args, cursor:)` yields pairs of an object and its cursor, a JSON value,
    # from the given cursor on; `each_iteration(object, *args)` handles one. The cursor is saved
    # every {Walk::SAVE_INTERVAL} seconds, when the worker stops, and when a step fails. Steps since
    # the last save are repeated.
    module Iterable
      include Enumerators

      def self.included(job)
        job.extend(ClassMethods)
      end

      # Raises RuntimeError when a class defines `perform`.
      module ClassMethods
        def method_added(name)
          if name == :perform
            raise "#{self} is an iterable job, whose perform is there: it has each_iteration"
          end

          super
        end
      end

      def perform(*args)
        (@_walk = Walk.new(self, args)).call
      end

      def arguments = @_walk&.arguments

      # Cursor and object of the current step.
      def cursor = @_walk&.cursor

      def current_object = @_walk&.object

      # Ends the job before its next step, or soon after, also when it waits in its queue.
      def cancel! = @_cancelled = Walk.cancel(jid)

      # Seconds since 1970 of the cancellation, nil or false before this run has noticed one.
      def cancelled? = @_cancelled || @_walk&.cancelled

      # Returns nil when there is nothing to do.
      def build_enumerator(*)
        raise(NotImplementedError, "#{self.class} needs build_enumerator(*args, cursor:)")
      end

      def each_iteration(*)
        raise(NotImplementedError, "#{self.class} needs each_iteration(object, *args)")
      end

      def around_iteration = yield

      # Hooks for classes to override; on_stop runs whether the job continues later or not.
      %i[on_start on_resume on_stop on_cancel on_complete].each { |name| define_method(name) {} }
    end
  end

  # See {Job::Iterable}.
  module IterableJob
    def self.included(job)
      job.include(Job)
      job.include(Job::Iterable)
    end
  end
end
