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
            "workers" => [{"queues" => "*", "threads" => concurrency, "polling_interval" => 0.1}]))
        ::SolidQueue::Supervisor.start(config_file: file, skip_recurring: true)
      end

      def left
        ::SolidQueue::ReadyExecution.count + ::SolidQueue::ClaimedExecution.count +
          ::SolidQueue::FailedExecution.count
      end

      private

      def library = "solid_queue"
    end
  end
end
