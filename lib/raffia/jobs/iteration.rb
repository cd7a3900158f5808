# frozen_string_literal: true

require_relative "iteration/enumerators"
require_relative "iteration/walk"
require_relative "job"

module Raffia
  module Jobs
    # A long job in small steps. When its worker stops or dies, it goes on where it was.
    #
    #     class ExportJob
    #       include Raffia::Job
    #       include Raffia::Jobs::Iteration
    #
    #       def build_enumerator(day, cursor:) = array_enumerator(Order.ids(day), cursor: cursor)
    #       def each_iteration(id, day) = export(id)
    #     end
    #
    # `build_enumerator` yields pairs of an item and its cursor, a JSON value, beginning after
    # `cursor`. The cursor is saved every {Walk::SAVE_INTERVAL} seconds and when the worker stops.
    # After a kill the steps since the last save are repeated.
    #
    # A job may define `on_start`, `on_resume`, `on_stop` (it will go on later), `on_cancel` (it
    # will not) and `on_complete`.
    module Iteration
      include Enumerators

      def self.included(job)
        job.extend(Options)
      end

      # Settings of a class.
      module Options
        # @param seconds [Numeric, nil] after which a run yields to other jobs; nil: never
        def max_runtime(seconds = nil)
          return @raffia_max_runtime = seconds if seconds

          @raffia_max_runtime || (superclass.max_runtime if superclass.respond_to?(:max_runtime))
        end
      end

      # @return [Object, nil] of the last step
      attr_reader :cursor

      # @raise [Interrupted] when it will go on later
      def perform(*args)
        walk = Walk.new(self, run, self.class.max_runtime)
        walk.call(args) { |cursor| @cursor = cursor }
      end

      # @return [Enumerator, nil] of [item, cursor]; nil: nothing to do
      def build_enumerator(*, cursor:)
        raise(NotImplementedError, "#{self.class} needs build_enumerator(*args, cursor:)")
      end

      # Does one step.
      def each_iteration(*)
        raise(NotImplementedError, "#{self.class} needs each_iteration(item, *args)")
      end

      %i[on_start on_resume on_stop on_cancel on_complete].each { |name| define_method(name) {} }
    end
  end
end
