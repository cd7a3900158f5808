# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # Its worker, which forks for each job.
    class Resque < System
      # The job.
      class Job
        @queue = :default

        def self.perform(number, sent) = Work.call(number, sent)
      end

      def env = {"JOBS_BENCH_EACH" => "1"}

      def connect
        require "resque"
        ::Resque.redis = database.url
      end

      def push(number, sent = nil) = ::Resque.enqueue(Job, number, sent)

      def work = ::Resque::Worker.new("default").work

      def left = ::Resque.size(:default) + ::Resque::Failure.count
    end
  end
end
