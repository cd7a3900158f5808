# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # Its own program, with its own log.
    class Sidekiq < System
      def env = {"REDIS_URL" => database.url}

      def connect
        ENV.update(env)
        require_relative "sidekiq_job"
        require "sidekiq/api"
        ::Sidekiq.default_configuration.logger.level = Logger::WARN
      end

      def push(number, sent = nil) = SidekiqJob.perform_async(number, sent)

      def bulk(numbers) = SidekiqJob.perform_bulk(numbers.map { |number| [number, nil] })

      def command
        program("sidekiq", "sidekiq", "-r", File.join(__dir__, "sidekiq_job.rb"), "-e",
          "production", "-c", concurrency.to_s)
      end

      def left
        ::Sidekiq::Stats.new.then { |stats| stats.enqueued + stats.retry_size + stats.dead_size }
      end
    end
  end
end
