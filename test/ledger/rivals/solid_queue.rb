# frozen_string_literal: true

require_relative "solid_queue_application"
require_relative "system"

module Ledger
  module Rivals
    # Its supervisor with one worker and one dispatcher, on SQLite, as it comes with Rails but for
    # the number of threads.
    class SolidQueue < System
      def keep(ids)
        ids.each_slice(1000).flat_map do |slice|
          jobs = slice.map { |id| SolidQueueApplication::Job.new(id) }
          ActiveJob.perform_all_later(jobs)
          jobs.select(&:successfully_enqueued?).map { |job| job.arguments.first }
        end
      end

      def places
        {"in its queue" => ::SolidQueue::ReadyExecution,
         "claimed by a process that is gone" => ::SolidQueue::ClaimedExecution,
         "failed" => ::SolidQueue::FailedExecution}
          .flat_map { |place, rows|
          rows.includes(:job)
            .map { |row| [row.job.arguments["arguments"].first, place] }
        }.to_h
      end

      private

      def prepare
        gem "solid_queue"
        SolidQueueApplication.boot("#{@dir}/application")
        SolidQueueApplication.make_tables
      end

      def program = ["#{__dir__}/solid_queue_application.rb", "#{@dir}/application"]

      def worker?(command) = command.include?("solid-queue-worker")
    end
  end
end
