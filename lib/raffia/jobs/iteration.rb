# frozen_string_literal: true

require_relative "iteration/enumerators"
require_relative "iteration/walk"
require_relative "job"

module Raffia
  module Jobs
    # A long job in small steps, which goes on where it was when its worker stops or dies.
    #
    #     class ExportJob
    #       include Raffia::Job
    #       include Raffia::Jobs::Iteration
    #
    #       def build_enumerator(day, cursor:) = array_enumerator(Order.ids(day), cursor: cursor)
    #       def each_iteration(id, day) = export(id)
    #     end
    #
    # `build_enumerator` gives pairs of an item and its cursor, which JSON must know, beginning
    # after `cursor`. The cursor is written down every {Walk::SAVE} seconds and when the worker
    # stops; so after a kill the steps since then are done again.
    #
    # A job may have `on_start`, `on_resume`, `on_stop` (it will go on later), `on_cancel` and
    # `on_complete`.
    module Iteration
      include Enumerators

      def self.included(job)
        job.extend(Options)
      end

      # What is said about all jobs of a class.
      module Options
        # @param seconds [Numeric, nil] after which a run lets others have a turn: nil: never
        # @return [Numeric, nil]
        def max_runtime(seconds = nil)
          return @raffia_max_runtime = seconds if seconds

          @raffia_max_runtime || (superclass.max_runtime if superclass.respond_to?(:max_runtime))
        end
      end

      # @return [Object, nil] of the step that was done last
      attr_reader :cursor

      # @param args [Array]
      # @raise [Interrupted] when it is to go on later
      def perform(*args)
        walk = Walk.new(self, run, self.class.max_runtime)
        walk.call(args) { |cursor| @cursor = cursor }
      end

      # @return [Enumerator, nil] of [item, cursor]; nil: nothing to do
      def build_enumerator(*, cursor:)
        raise(NotImplementedError, "#{self.class} needs build_enumerator(*args, cursor:)")
      end

      # @return [void]
      def each_iteration(*)
        raise(NotImplementedError, "#{self.class} needs each_iteration(item, *args)")
      end

      # @!method on_start()
      #   Before the first step of all.
      # @!method on_resume()
      #   Before the first step of a run that goes on where another one was.
      # @!method on_stop()
      #   When its worker ends: it will go on later.
      # @!method on_cancel()
      #   When somebody has cancelled it: it will not go on.
      # @!method on_complete()
      #   After the last step.
      %i[on_start on_resume on_stop on_cancel on_complete].each { |name| define_method(name) {} }
    end
  end
end
