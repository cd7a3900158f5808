# frozen_string_literal: true

require_relative "middleware_adapter"
require_relative "item_check"

module Sidekiq
  # Enqueues jobs as Hashes. All clients share the store of the process; each may have its own
  # middleware.
  class Client
    # Options that do not become fields of a payload.
    OPTIONS = %w[at jid spread_interval batch_size].freeze
    private_constant :OPTIONS

    class << self
      # +item+ has "class" and "args", and optionally "queue", "at", "jid", "retry" and others.
      # Returns the job's id, nil when a middleware rejects it. Raises ArgumentError for an invalid
      # job, and Raffia::Jobs::StoreUnavailable.
      def push(item) = new.push(item)

      # Pushes several jobs: "args" has the arguments of each, "at" a time or one for each, and
      # "spread_interval" seconds. Returns the ids.
      def push_bulk(items) = new.push_bulk(items)

      def via(*)
        raise(NotProvided, "Sidekiq::Client.via is not there: all jobs go to the one store of " \
          "the process")
      end

      def enqueue(job, *args) = job.client_push("class" => job, "args" => args)

      def enqueue_to(queue, job, *args)
        job.client_push("class" => job, "args" => args, "queue" => queue)
      end

      def enqueue_in(interval, job, *args) = job.perform_in(interval, *args)

      def enqueue_to_in(queue, interval, job, *args)
        job.client_push({"class" => job, "args" => args, "queue" => queue,
                         "at" => ItemCheck.time(interval)}.compact)
      end
    end

    # Raises ArgumentError for another pool, because there is one store.
    def initialize(pool: nil, chain: nil, config: nil)
      unless pool.nil? || pool.equal?(Sidekiq.redis_pool)
        raise ArgumentError, "pool: all clients have the store of the process here"
      end

      @configuration = config || Sidekiq.default_configuration
      @chain = chain
    end

    # Yields a copy of the chain, which becomes this client's own.
    def middleware
      yield @chain = middleware.dup if block_given?
      @chain || @configuration.client_middleware
    end

    # Ends an iterable job before its next step, or soon after. Returns the time of the
    # cancellation.
    def cancel!(jid) = Job::Iterable::Walk.cancel(jid)

    def redis_pool = Sidekiq.redis_pool

    def push(item) = enqueue_all([ItemCheck.checked(item)]).first

    def push_bulk(items)
      items = ItemCheck.checked(items.transform_keys(&:to_s))
      list = items["args"].to_a
      unless list.all?(Array)
        raise ArgumentError, "args of many jobs must be an Array of Arrays, such as [[1], [2]]"
      end
      raise ArgumentError, "several jobs cannot have one jid" if items["jid"] && list.size > 1

      common = items.except(*OPTIONS)
      times = times(items, list.size)
      enqueue_all(list.each_with_index.map { |args, index|
        {**common, **items.slice("jid"), "args" => args, "at" => times[index]}.compact
      })
    end

    private

    def enqueue_all(items)
      items = items.map do |item|
        {**item, "args" => ItemCheck.arguments(item["class"], item["args"])}
      end
      ItemCheck.translate { enqueue(items) }
    end

    def enqueue(items)
      return Raffia::Jobs.enqueue(items) unless @chain

      own = Raffia::Jobs::Middleware.new.add(MiddlewareAdapter::Enqueue.new(@chain))
      Raffia::Jobs::Client.new(Raffia::Jobs::Setup.current.store, own).enqueue(items)
    end

    def times(items, size)
      at, spread = items.values_at("at", "spread_interval")
      if spread && (at || !spread.is_a?(Numeric) || !spread.positive?)
        raise ArgumentError, "spread_interval must be a positive number, and there can be no at " \
          "beside it"
      end
      return Array.new(size) { Time.now.to_f + rand * spread } if spread
      return Array.new(size, at) unless at.is_a?(Array)
      raise ArgumentError, "there are #{at.size} times for #{size} jobs" unless at.size == size

      at
    end
  end
end
