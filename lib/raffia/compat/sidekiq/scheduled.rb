# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "../../pool"

module Sidekiq
  # Other gems subclass {Poller} to enqueue jobs. Raffia's own workers do not poll.
  module Scheduled
    # Calls `enqueue` periodically, in a thread of its own.
    class Poller
      # Default seconds between two calls, multiplied by the number of processes.
      INTERVAL = 5
      private_constant :INTERVAL

      attr_reader :config

      def initialize(config = nil)
        @config = config || Sidekiq.default_configuration
        @done = false
        @wakeups = ::Thread::Queue.new
      end

      def start
        @pool ||= Raffia::Pool.new(on: :threads, workers: 1, idle: nil)
          .tap { |pool| pool.submit { poll } }
        nil
      end

      # Ends after the current call.
      def terminate
        @done = true
        @wakeups.push(nil)
        nil
      end

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

      # Random, so that processes that start together do not poll together.
      def random_poll_interval = poll_interval_average(process_count) * (0.5 + rand)

      def poll_interval_average(count) = @config[:poll_interval_average] || count * INTERVAL

      def process_count = [Raffia::Jobs.store.processes.size, 1].max
    end
  end
end
