# frozen_string_literal: true

require_relative "job"
require_relative "iterable/enumerators"
require_relative "iterable/walk"

module Sidekiq
  module Job
    # The job goes back to its queue, and goes on later. It counts neither as a failure nor as a
    # try.
    class Interrupted < RuntimeError
    end

    # A long job in steps, which goes on at the step that it was at.
    #
    # `build_enumerator(*args, cursor:)` yields pairs of an object and its cursor, a JSON value,
    # beginning with that of the cursor; `each_iteration(object, *args)` does one. The cursor is
    # saved every {Walk::SAVE_INTERVAL} seconds, when the worker stops, and when a step fails. Steps
    # since then are repeated.
    module Iterable
      include Enumerators

      def self.included(job)
        job.extend(ClassMethods)
      end

      # Rejects methods that such classes must not define.
      module ClassMethods
        # @raise [RuntimeError]
        def method_added(name)
          if name == :perform
            raise "#{self} is an iterable job, whose perform is there: it has each_iteration"
          end

          super
        end
      end

      # @param args [Array]
      # @raise [Interrupted]
      def perform(*args)
        (@_walk = Walk.new(self, args)).call
      end

      # @return [Array] of the job
      def arguments = @_walk&.arguments

      # @return [Object, nil] of the present step
      def cursor = @_walk&.cursor

      # @return [Object, nil] of the present step
      def current_object = @_walk&.object

      # Ends it before its next step, or nearly so; also one that waits.
      # @return [Integer] when, in seconds since 1970
      def cancel! = @_cancelled = Walk.cancel(jid)

      # @return [Integer, nil] when it was cancelled, as far as it has noticed
      def cancelled? = @_cancelled || @_walk&.cancelled

      # @return [Enumerator, nil] nil: nothing to do
      def build_enumerator(*)
        raise(NotImplementedError, "#{self.class} needs build_enumerator(*args, cursor:)")
      end

      # @return [void]
      def each_iteration(*)
        raise(NotImplementedError, "#{self.class} needs each_iteration(object, *args)")
      end

      # @yield the step
      # @return [void]
      def around_iteration = yield

      # @!method on_start()
      # @!method on_resume()
      # @!method on_stop() it ends, for now or for good
      # @!method on_cancel()
      # @!method on_complete()
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
