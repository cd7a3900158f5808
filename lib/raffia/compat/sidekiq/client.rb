# frozen_string_literal: true

require "json"
require_relative "../../jobs"

module Sidekiq
  # Enqueues jobs by Hashes. All of these go to the one store of the process.
  class Client
    # Seconds below which a number is taken for a pause, and not for a time.
    LONGEST = 1_000_000_000
    # Not for the payload.
    OPTIONS = %w[at jid spread_interval batch_size].freeze
    private_constant :LONGEST, :OPTIONS

    class << self
      # @param item [Hash{String => Object}] "class", "args", and if wanted "queue", "at", "jid", "retry", ...
      # @return [String, nil] its id; nil when a middleware keeps it out
      # @raise [ArgumentError] for what cannot be a job
      # @raise [Raffia::Jobs::StoreUnavailable]
      def push(item) = keep([checked(item)]).first

      # @param items [Hash] as {push} takes it; "args" is an Array of the arguments of each, "at" a time or one for each, "spread_interval" seconds
      # @return [Array<String, nil>] ids
      # @raise (see push)
      def push_bulk(items)
        items = checked(items.transform_keys(&:to_s))
        list = items["args"].to_a
        raise ArgumentError, "args of many jobs must be an Array of Arrays, such as [[1], [2]]" unless list.all?(Array)
        raise ArgumentError, "several jobs cannot have one jid" if items["jid"] && list.size > 1

        common = items.except(*OPTIONS)
        times = times(items, list.size)
        keep(list.each_with_index.map { |args, index| {**common, **items.slice("jid"), "args" => args, "at" => times[index]}.compact })
      end

      # @return [String, nil]
      def enqueue(job, *args) = job.client_push("class" => job, "args" => args)

      # @return [String, nil]
      def enqueue_to(queue, job, *args) = job.client_push("class" => job, "args" => args, "queue" => queue)

      # @return [String, nil]
      def enqueue_in(interval, job, *args) = job.perform_in(interval, *args)

      # @return [String, nil]
      def enqueue_to_in(queue, interval, job, *args)
        job.client_push({"class" => job, "args" => args, "queue" => queue, "at" => time(interval)}.compact)
      end

      # @param interval [Numeric, Time] seconds from now, or since 1970
      # @return [Float, nil] since 1970; nil: now
      # @api private
      def time(interval)
        now = Time.now.to_f
        at = interval.to_f
        at += now if at < LONGEST
        at if at > now
      end

      # Whether it can be a job.
      # @return [Hash] with the defaults of its class
      # @raise [ArgumentError]
      # @api private
      def checked(item)
        raise ArgumentError, "a job must be a Hash with class and args, and is #{item.inspect}" unless item.is_a?(Hash) && item.key?("class") && item.key?("args")
        raise ArgumentError, "args of a job must be an Array, and are #{item["args"].inspect}" unless item["args"].is_a?(Array) || item["args"].is_a?(Enumerator::Lazy)

        {**defaults(item["class"]), **item}
      end

      # @yield what Raffia may refuse
      # @raise [ArgumentError] as Sidekiq's programs expect it
      # @api private
      def translate
        yield
      rescue Raffia::Jobs::BadArguments => error
        raise ArgumentError, "#{error.message} (or say Sidekiq.strict_args!(false))"
      rescue Raffia::ConfigError => error
        raise ArgumentError, error.message
      end

      # Arguments that JSON would change are refused, or are changed now, see {Sidekiq.strict_args!}.
      # @return [Array]
      # @api private
      def arguments(name, args)
        mode = Sidekiq.default_configuration[:on_complex_arguments]
        translate { Raffia::Jobs::Client::Item.check_arguments(name, args) }
        args
      rescue ArgumentError => error
        raise unless args.is_a?(Array) && [:warn, false].include?(mode)

        Kernel.warn(error.message) if mode
        JSON.parse(JSON.generate(args))
      end

      private

      def defaults(job)
        return Sidekiq.default_job_options unless job.is_a?(Class)
        return job.job_options if job.respond_to?(:job_options)

        raise ArgumentError, "#{job} is no job: it needs `include Sidekiq::Job`"
      end

      def keep(items)
        items = items.map { |item| {**item, "args" => arguments(item["class"], item["args"])} }
        translate { Raffia::Jobs.enqueue(items) }
      end

      def times(items, size)
        at, spread = items.values_at("at", "spread_interval")
        raise ArgumentError, "spread_interval must be a positive number, and there can be no at beside it" if spread && (at || !spread.is_a?(Numeric) || !spread.positive?)
        return Array.new(size) { Time.now.to_f + rand * spread } if spread
        return Array.new(size, at) unless at.is_a?(Array)
        raise ArgumentError, "there are #{at.size} times for #{size} jobs" unless at.size == size

        at
      end
    end

    # @raise [ArgumentError] for a pool or a chain of its own: there is one store, and one chain
    def initialize(**given)
      raise ArgumentError, "#{given.keys.join(", ")}: all clients have the store and the middleware of the process here" if given.except(:config).any?
    end

    # @return (see Client.push)
    def push(item) = Client.push(item)

    # @return (see Client.push_bulk)
    def push_bulk(items) = Client.push_bulk(items)

    # @return [Chain] that of the process
    # @raise [ArgumentError] for one of its own
    def middleware
      raise ArgumentError, "all clients have the middleware of the process here: config.client_middleware" if block_given?

      Sidekiq.default_configuration.client_middleware
    end
  end
end
