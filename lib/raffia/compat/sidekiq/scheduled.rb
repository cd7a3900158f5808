# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "../../pool"

module Sidekiq
  # For gems that subclass {Poller} to enqueue jobs. Raffia's own workers do not poll.
  module Scheduled
    # Calls `enqueue` periodically, in a thread of its own.
    class Poller
      # Seconds between two calls, for each process, by default.
      INTERVAL = 5
      private_constant :INTERVAL

      # @return [Configuration]
      attr_reader :config

      # @param config [Configuration, nil]
      def initialize(config = nil)
        @config = config || Sidekiq.default_configuration
        @done = false
        @wakeups = ::Thread::Queue.new
      end

      # @return [void]
      def start
        @pool ||= Raffia::Pool.new(on: :threads, workers: 1, idle: nil)
          .tap { |pool| pool.submit { poll } }
        nil
      end

      # Ends after the present call.
      # @return [void]
      def terminate
        @done = true
        @wakeups.push(nil)
        nil
      end

      # Overridden by subclasses.
      # @return [void]
      def enqueue = nil

      private

      def poll
        until @done
          enqueue
          @wakeups.pop(timeout: random_poll_interval)
        end
      rescue => error
        handle_exception(error)
        retry unless @wakeups.pop(timeout: INTERVAL) || @done
      end

      def handle_exception(error, context = {}) = @config.handle_exception(error, context)

      # Processes that started together do not poll together.
      def random_poll_interval = poll_interval_average(process_count) * (0.5 + rand)

      def poll_interval_average(count) = @config[:poll_interval_average] || count * INTERVAL

      def process_count = [Raffia::Jobs.store.processes.size, 1].max
    end
  end
end
