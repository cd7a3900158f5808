# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # A pool of threads in the very process.
    class SuckerPunch < System
      def connect
        require "sucker_punch"
        Systems.const_set(:SuckerPunchJob,
          Class.new { include ::SuckerPunch::Job }
            .tap { |job| job.define_method(:perform) { |number, sent| Work.call(number, sent) } })
        SuckerPunchJob.workers(concurrency)
      end

      def push(number, sent = nil) = SuckerPunchJob.perform_async(number, sent)

      def work = nil

      def left = ::SuckerPunch::Queue.stats.values.sum { |queue| queue["jobs"]["enqueued"] }

      def together? = true
    end
  end
end
