# frozen_string_literal: true

require_relative "../../../jobs/testing"

module Sidekiq
  # The jobs that wait in tests, by queue and by class. What is returned is a copy.
  module Queues
    class << self
      # @param queue [String]
      # @return [Array<Hash>] payloads
      def [](queue) = jobs_by_queue[queue.to_s]

      # @return [Hash{String => Array<Hash>}]
      def jobs_by_queue = grouped("queue")

      # @return [Hash{String => Array<Hash>}]
      def jobs_by_class = grouped("class")
      alias_method :jobs_by_worker, :jobs_by_class

      # @return [void]
      def clear_for(queue, job)
        entries = Raffia::Jobs::Store::SETS.flat_map { |set| Testing.kept.entries(set, limit: nil) }
        Testing.kept.delete(entries.select { |entry| entry.item["queue"] == queue.to_s && entry.item["class"] == job.to_s })
        nil
      end

      # @return [void]
      def clear_all
        (Raffia::Jobs::Store::SETS - %i[running]).each { |set| Testing.kept.clear(set) }
        nil
      end

      private

      def grouped(field) = Hash.new { [] }.update(Job.jobs.group_by { |item| item[field] })
    end
  end
end
