# frozen_string_literal: true

module Raffia
  module Jobs
    module Durable
      # Class methods that start durable functions. Those of {Job::Enqueue} do so, too.
      module Start
        # Where a function can run: its steps are recorded from the worker's process.
        EXECUTORS = [nil, :fibers, :threads].freeze

        # @param args [Array] of `call`
        # @return [String, nil] id of the function; nil when a middleware or a unique job rejects it
        # @raise [BadArguments] for arguments that JSON would change
        # @raise [ConfigError] by stores without durable functions
        # @raise [StoreUnavailable] when it could not be stored
        def start(*args) = perform_async(*args)

        # @param seconds [Numeric] from now
        # @return [String, nil] its id
        def start_in(seconds, *args) = perform_in(seconds, *args)

        # @param time [Time, Numeric] or seconds since 1970
        # @return [String, nil] its id
        def start_at(time, *args) = perform_at(time, *args)

        # (see Job::Options#options)
        # @raise [ConfigError] also for an executor in another process
        def options(**given)
          unless EXECUTORS.include?(given[:on])
            raise ConfigError, "#{self}: a durable function runs on fibers or threads, not on " \
              "#{given[:on]}: use Raffia.map or an ordinary job in a step"
          end

          super
        end

        # The fields under "raffia" that make a job with these options a durable function.
        # @api private
        def flow_fields(options)
          {"class" => name, "encrypted" => (true if options[:encrypt])}.compact
        end
      end
    end
  end
end
