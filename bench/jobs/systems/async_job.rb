# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # async-job, with its processor for Redis: as many jobs at a time as there are.
    class AsyncJob < System
      # Does the jobs.
      class Delegate
        def start = nil

        def stop = nil

        def call(job) = Work.call(job["number"], job["sent"])
      end

      def connect
        require "async"
        require "async/job"
        require "async/job/processor/redis"
        @endpoint = Async::Redis::Endpoint.parse(database.url)
      end

      def session
        Sync do
          @processor = Async::Job::Processor::Redis.new(Delegate.new, endpoint: @endpoint)
          yield
        end
      end

      def push(number, sent = nil) = @processor.call({"number" => number, "sent" => sent})

      def work
        Sync do
          Async::Job::Processor::Redis.new(Delegate.new, endpoint: @endpoint).start
          sleep
        end
      end

      # A running job is kept until it is done.
      def left = Sync { Async::Redis::Client.new(@endpoint).hlen("async-job:jobs") }
    end
  end
end
