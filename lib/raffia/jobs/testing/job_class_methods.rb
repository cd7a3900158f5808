# frozen_string_literal: true

require_relative "drain"

module Raffia
  module Jobs
    module Testing
      # Methods of job classes for tests, see {Testing}. Subclasses have their own jobs.
      module JobClassMethods
        # @return [Array<Hash>] payloads of its waiting jobs; "at" is set for later ones
        # @raise [ConfigError] when jobs go to a real store, as in all methods here
        def jobs = drain_of_class.jobs

        # Runs its jobs until there are none, see {Testing.drain_all}.
        # @param due_by [Time, Numeric, nil] only jobs due by then
        # @return [Integer] how many
        def drain(due_by: nil) = drain_of_class(due_by: due_by).call

        # Runs the next one.
        # @return [Boolean] whether there was one
        def perform_one = drain_of_class.one

        # Deletes its jobs.
        def clear = drain_of_class.clear

        private

        def drain_of_class(**) = Drain.new(Testing.store, name, **)
      end
    end
  end
end
