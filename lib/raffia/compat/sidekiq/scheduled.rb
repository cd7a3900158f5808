# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "../../pool"

module Sidekiq
  # Raffia's workers are told what is due. What other gems enqueue by looking again and again is a
  # subclass of {Poller}.
  module Scheduled
    # Calls `enqueue` again and again, in a thread of its own.
    class Poller
      # Seconds between two calls, for each process, where nothing else is set.
      INTERVAL = 5
      private_constant :INTERVAL

      # @return [Configuration]
      attr_reader :config

      # @param config [Configuration, nil]
      def initialize(config = nil)
        @config = config || Sidekiq.default_configuration
        @done = false
        @bell = ::Thread::Queue.new
      end

      # @return [void]
      def start
        @pool ||= Raffia::Pool.new(on: :threads, workers: 1, idle: nil)
          .tap { |pool| pool.submit { poll } }
        nil
      end

      # It ends after the call that it is at.
      # @return [void]
      def terminate
        @done = true
        @bell.push(nil)
        nil
      end

      # For subclasses.
      # @return [void]
      def enqueue = nil

      private

      def poll
        until @done
          enqueue
          @bell.pop(timeout: random_poll_interval)
        end
      rescue => error
        handle_exception(error)
        retry unless @bell.pop(timeout: INTERVAL) || @done
      end

      def handle_exception(error, context = {}) = @config.handle_exception(error, context)

      # Processes that began together must not come together each time.
      def random_poll_interval = poll_interval_average(process_count) * (0.5 + rand)

      def poll_interval_average(count) = @config[:poll_interval_average] || count * INTERVAL

      def process_count = [Raffia::Jobs.store.processes.size, 1].max
    end
  end
end
