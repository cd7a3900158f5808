# frozen_string_literal: true

require "fileutils"
require "json"
require_relative "system"

module JobsBench
  module Systems
    # A Rails application with nothing but Active Record and Active Job, as it is in production.
    class Rails < System
      def connect
        ENV["RAILS_ENV"] = "production"
        require "rails"
        require "active_record/railtie"
        require "active_job/railtie"
        require library
        boot
        require_relative "rails_job"
        jobs
      end

      JOBS = Hash.new(:RailsJob).merge("limited" => :RailsLimitedJob, "rated" => :RailsRatedJob,
        "durable" => :RailsContinuedJob).freeze

      def push(number, sent = nil) = job.perform_later(number, sent)

      def bulk(numbers)
        numbers = numbers.each_slice(STEPS).map(&:first) if steps?
        ActiveJob.perform_all_later(numbers.map { |number| job.new(number, nil) })
      end

      private

      # Loads the system's own classes of jobs.
      def jobs = nil

      def job = @job ||= Object.const_get(JOBS[kind])

      def boot
        FileUtils.mkdir_p(root)
        File.write("#{root}/database.yml", JSON.generate("production" => settings))
        Object.const_set(:JobsBenchApplication, Class.new(::Rails::Application))
        configure(::Rails.application.config)
        ::Rails.application.initialize!
      end

      def configure(config)
        config.root = root
        config.load_defaults(8.1)
        config.eager_load = true
        config.secret_key_base = "0" * 64
        config.logger = ActiveSupport::Logger.new("#{root}/rails.log")
        config.log_level = :info
        config.active_job.queue_adapter = library.to_sym
        config.paths["config/database"] = "#{root}/database.yml"
      end

      # Each process has a folder of its own.
      def root = "#{database.folder}/rails-#{Process.pid}"

      def settings
        unless database.url.start_with?("sqlite:")
          adapter = database.url.start_with?("mysql:") ? "trilogy" : "postgresql"
          return {"adapter" => adapter, "url" => database.url.sub("mysql:", "trilogy:"),
                  "pool" => 64}
        end

        {"adapter" => "sqlite3", "database" => database.url.delete_prefix("sqlite:"), "pool" => 64,
         "timeout" => 5000}
      end
    end
  end
end
