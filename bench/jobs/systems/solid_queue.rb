# frozen_string_literal: true

require_relative "rails"

module JobsBench
  module Systems
    # Its supervisor, one worker and one dispatcher, as it comes, but for the number of threads.
    class SolidQueue < Rails
      def connect
        super
        return if ActiveRecord::Base.connection.table_exists?("solid_queue_jobs")

        ActiveRecord::Schema.verbose = false
        folder = Gem::Specification.find_by_name("solid_queue").gem_dir
        load "#{folder}/lib/generators/solid_queue/install/templates/db/queue_schema.rb"
      end

      def work
        file = "#{root}/queue.yml"
        File.write(file,
          JSON.generate("dispatchers" => [{"polling_interval" => 1, "batch_size" => 500}],
            "workers" => [{"queues" => "*", **slots, "polling_interval" => 0.1}]))
        ::SolidQueue::Supervisor.start(config_file: file, skip_recurring: true)
      end

      def left
        ::SolidQueue::ReadyExecution.count + ::SolidQueue::ClaimedExecution.count +
          ::SolidQueue::FailedExecution.count + ::SolidQueue::BlockedExecution.count
      end

      private

      def jobs = require_relative("solid_queue_job")

      def library = "solid_queue"

      # How many jobs a worker runs at a time.
      def slots = {"threads" => concurrency}
    end

    # Its worker with fibers.
    class SolidQueueFibers < SolidQueue
      private

      def slots = {"fibers" => concurrency}

      def configure(config)
        super
        config.active_support.isolation_level = :fiber
      end
    end
  end
end
