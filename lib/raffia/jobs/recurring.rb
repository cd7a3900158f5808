# frozen_string_literal: true

require_relative "recurring/schedule"
require_relative "recurring/entry"
require_relative "recurring/ticker"
require_relative "setup"

module Raffia
  module Jobs
    # Jobs that recur, by cron or by an interval. They are written beside the jobs, and workers
    # enqueue them:
    #
    #     Raffia::Jobs.recurring do
    #       at "0 3 * * *", ReportJob, zone: "Europe/Berlin"
    #       every "5 minutes", SweepJob, catch_up: :skip
    #     end
    #
    # When nobody was there at a time, it is made up for once as soon as a worker is there again;
    # see {Entry}.
    module Recurring
      # What {Jobs.recurring}'s block is evaluated in.
      class List
        # @return [Array<Entry>]
        attr_reader :entries

        def initialize(entries = [])
          @entries = entries
        end

        # @param spec [String, Numeric] see {Recurrence}
        # @param job [Class, String]
        # @param name [String, nil] nil: the job's, so one that recurs twice needs a name
        # @param options [Hash] args: zone: queue: catch_up:, see {Entry}
        # @return [void]
        # @raise [ConfigError]
        def at(spec, job, name: nil, **options)
          name ||= job.to_s.gsub("::", ":")
          if @entries.any? { |entry| entry.name == name }
            raise ConfigError, "there are two recurring jobs #{name}: give one a name"
          end

          @entries << Entry.build(name, spec, job, source: :code, **options)
        end

        # @param interval [String, Numeric] "5 minutes", or seconds
        # @return [void]
        def every(interval, job, **options)
          at(interval.is_a?(String) ? "every #{interval.delete_prefix("every ")}" : interval, job,
            **options)
        end
      end
    end

    class << self
      # With a block: what recurs, as {Recurring::List#at} says it. Workers bring it to the store
      # when they start. In an initializer of Rails the block is called when the application is
      # initialized, and so may name its classes.
      # @return [Recurring::Schedule] what the store has
      def recurring(&block)
        deferred = Setup.current.deferred
        if block
          if deferred
            deferred << block
          else
            Recurring::List.new(Setup.current.recurring).instance_eval(&block)
          end
        end
        Recurring::Schedule.new
      end
    end
  end
end
