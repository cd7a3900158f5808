# frozen_string_literal: true

require "json"

module Sidekiq
  # Checks a job, and adds defaults, before it becomes a payload.
  #
  # @api private
  module ItemCheck
    # Smaller numbers of seconds are intervals, larger ones times since 1970.
    LONGEST = 1_000_000_000
    private_constant :LONGEST

    module_function

    # Seconds since 1970, nil for now.
    def time(interval)
      now = Time.now.to_f
      at = interval.to_f
      at += now if at < LONGEST
      at if at > now
    end

    # The job with the defaults of its class. Raises ArgumentError for an invalid one.
    def checked(item)
      unless item.is_a?(Hash) && item.key?("class") && item.key?("args")
        raise ArgumentError, "a job must be a Hash with class and args, and is #{item.inspect}"
      end
      unless item["args"].is_a?(Array) || item["args"].is_a?(Enumerator::Lazy)
        raise ArgumentError, "args of a job must be an Array, and are #{item["args"].inspect}"
      end
      if item["pool"]
        raise NotProvided, "a job with a pool: all jobs go to the one store of the process"
      end

      item = {**defaults(item["class"]), **item}
      return item unless item["retry_for"]
      if item["retry_for"] > LONGEST
        raise ArgumentError, "retry_for must be seconds from the first failure on, and no time: " \
          "#{item["retry_for"]}"
      end

      {**item, "retry_for" => item["retry_for"].to_i}
    end

    # Raises Raffia's errors as ArgumentErrors.
    def translate
      yield
    rescue Raffia::Jobs::BadArguments => error
      raise ArgumentError, "#{error.message} (or say Sidekiq.strict_args!(false))"
    rescue Raffia::ConfigError => error
      raise ArgumentError, error.message
    end

    # Rejects or converts arguments that JSON would change, see {Sidekiq.strict_args!}.
    def arguments(name, args)
      mode = Sidekiq.default_configuration[:on_complex_arguments]
      translate { Raffia::Jobs::Client::PayloadBuilder.check_arguments(name, args) }
      args
    rescue ArgumentError => error
      raise unless args.is_a?(Array) && [:warn, false].include?(mode)

      Kernel.warn(error.message) if mode
      JSON.parse(JSON.generate(args))
    end

    class << self
      private

      def defaults(job)
        return Sidekiq.default_job_options unless job.is_a?(Class)
        return job.job_options if job.respond_to?(:job_options)

        raise ArgumentError, "#{job} is no job: it needs `include Sidekiq::Job`"
      end
    end
  end
  private_constant :ItemCheck
end
