# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # Its worker, which does one job at a time.
    class DelayedJob < System
      # The job, stored as YAML.
      Note = Struct.new(:number, :sent) do
        def perform = Work.call(number, sent)
      end

      def connect
        require "logger"
        require "active_record"
        require "delayed_job_active_record"
        ActiveRecord::Base.establish_connection(adapter: "sqlite3",
          database: database.url.delete_prefix("sqlite:"), timeout: 5000)
        ActiveRecord::Base.logger = nil
        ::Delayed::Worker.logger = Logger.new("#{database.url.delete_prefix("sqlite:")}.log",
          level: :info)
        make_table unless ActiveRecord::Base.connection.table_exists?("delayed_jobs")
      end

      def push(number, sent = nil) = ::Delayed::Job.enqueue(Note.new(number, sent))

      def work = ::Delayed::Worker.new(quiet: true).start

      def left = ::Delayed::Job.count

      private

      # Like its generator.
      def make_table
        ActiveRecord::Base.connection.create_table(:delayed_jobs) do |table|
          table.integer :priority, :attempts, default: 0, null: false
          table.text :handler, null: false
          table.text :last_error
          table.datetime :run_at, :locked_at, :failed_at
          table.string :locked_by, :queue
          table.timestamps null: true
          table.index %i[priority run_at], name: "delayed_jobs_priority"
        end
      end
    end
  end
end
