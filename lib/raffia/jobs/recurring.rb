# frozen_string_literal: true

require_relative "recurring/schedule"
require_relative "recurring/entry"
require_relative "recurring/ticker"

module Raffia
  module Jobs
    # Recurring jobs, by cron or by an interval. The store has the schedule, and workers enqueue:
    #
    #     Raffia::Jobs.recurring do
    #       at "0 3 * * *", ReportJob, zone: "Europe/Berlin"
    #       every "5 minutes", SweepJob, catch_up: :skip
    #     end
    #
    # Times without a running worker are made up for by one job when a worker is back; see {Entry}.
    module Recurring
      # The block of {Jobs.recurring} is evaluated in it.
      class List
        attr_reader :entries

        def initialize(entries = [])
          @entries = entries
        end

        # @param spec [String, Numeric] cron, words, or an interval in seconds
        # @param job [Class, String]
        # @param name [String, nil] nil: of the job; the second entry of a job needs one
        # @param options [Hash] args: zone: queue: catch_up:, see {Entry}
        # @raise [ConfigError]
        def at(spec, job, name: nil, **options)
          name ||= job.to_s.gsub("::", ":")
          if @entries.any? { |entry| entry.name == name }
            raise ConfigError, "there are two recurring jobs #{name}: give one a name"
          end

          @entries << Entry.build(name, spec, job, source: :code, **options)
        end

        # @param interval [String, Numeric] "5 minutes", or seconds
        def every(interval, job, **options)
          at(interval.is_a?(String) ? "every #{interval.delete_prefix("every ")}" : interval, job,
            **options)
        end
      end
    end

    class << self
      # With a block: declares recurring jobs, see {Recurring::List#at}. Workers store them when
      # they start. Rails calls the block after the initialization.
      # @return [Recurring::Schedule] of the store
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
