# frozen_string_literal: true

# A Rails application with nothing but Solid Queue, and its program: solid_queue_application.rb
# FOLDER

require "fileutils"
require "json"
require_relative "system"

module Ledger
  module Rivals
    module SolidQueueApplication
      QUEUES = {"dispatchers" => [{"polling_interval" => 1, "batch_size" => 500}],
                "workers" => [{"queues" => "*", "threads" => System::THREADS,
                               "polling_interval" => 0.1}]}.freeze

      module_function

      # Once in a process.
      def boot(root)
        return move(root) if defined?(::Rails)

        ENV["RAILS_ENV"] = "production"
        %w[rails active_record/railtie active_job/railtie solid_queue].each { |name| require name }
        settle(root)
        Object.const_set(:LedgerApplication, Class.new(::Rails::Application))
        configure(::Rails.application.config, root)
        ::Rails.application.initialize!
        const_set(:Job, Class.new(ActiveJob::Base) { def perform(id) = System.work(id) })
      end

      # To another folder, and another database in it.
      def move(root)
        settle(root)
        ActiveRecord::Base.establish_connection(settings(root))
      end

      def make_tables
        ActiveRecord::Schema.verbose = false
        templates = "lib/generators/solid_queue/install/templates"
        load File.join(Gem::Specification.find_by_name("solid_queue").gem_dir, templates,
          "db/queue_schema.rb")
      end

      def settings(root)
        {"adapter" => "sqlite3", "database" => "#{root}/jobs.db", "pool" => 64, "timeout" => 5000}
      end

      def settle(root)
        FileUtils.mkdir_p(root)
        File.write("#{root}/database.yml", JSON.generate("production" => settings(root)))
        File.write("#{root}/queue.yml", JSON.generate(QUEUES))
      end

      def configure(config, root)
        config.root = root
        config.load_defaults(8.1)
        config.eager_load = true
        config.secret_key_base = "0" * 64
        config.logger = ActiveSupport::Logger.new("#{root}/rails.log")
        config.active_job.queue_adapter = :solid_queue
        config.paths["config/database"] = "#{root}/database.yml"
      end
    end
  end
end

if $PROGRAM_NAME == __FILE__
  Ledger::Rivals::SolidQueueApplication.boot(ARGV.fetch(0))
  SolidQueue::Supervisor.start(config_file: "#{ARGV.fetch(0)}/queue.yml", skip_recurring: true)
end
