# frozen_string_literal: true

require_relative "mode"

module Sidekiq
  # Waiting jobs of tests, by queue and by class.
  module Queues
    class << self
      def [](queue) = jobs_by_queue[queue.to_s]

      def jobs_by_queue = Testing::MODE.fake_store.by_queue

      def jobs_by_class = Testing::MODE.fake_store.by_class
      alias_method :jobs_by_worker, :jobs_by_class

      def push(_queue, _name, job) = Testing::MODE.fake_store.push(job)

      def delete_for(jid, _queue, _name) = delete_if { |item| item["jid"] == jid }

      def clear_for(queue, job)
        delete_if { |item| item["queue"] == queue.to_s && item["class"] == job.to_s }
      end

      def clear_all = delete_if { true }

      # @api private
      def delete_if(&)
        Testing::MODE.fake_store.delete_if(&)
        nil
      end
    end
  end
end
