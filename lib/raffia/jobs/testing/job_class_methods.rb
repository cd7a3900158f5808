# frozen_string_literal: true

require_relative "drain"

module Raffia
  module Jobs
    module Testing
      # What tests ask of a job class, see {Testing}. Subclasses have jobs of their own.
      module JobClassMethods
        # @return [Array<Hash>] the payloads of its jobs that wait; "at" is when, if that is later
        # @raise [ConfigError] where jobs go to a real store, here as in all of these
        def jobs = drain_of_class.jobs

        # Does its jobs until there are none, as {Testing.drain_all} does all.
        # @param due_by [Time, Numeric, nil] only what is due then
        # @return [Integer] how many were done
        def drain(due_by: nil) = drain_of_class(due_by: due_by).call

        # Does the next one.
        # @return [Boolean] whether there was one
        def perform_one = drain_of_class.one

        # Forgets its jobs.
        # @return [void]
        def clear = drain_of_class.clear

        private

        def drain_of_class(**) = Drain.new(Testing.store, name, **)
      end
    end
  end
end
