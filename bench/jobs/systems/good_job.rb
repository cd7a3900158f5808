# frozen_string_literal: true

require "erb"
require_relative "rails"

module JobsBench
  module Systems
    # Its command line's worker, with LISTEN and NOTIFY.
    class GoodJob < Rails
      def connect
        super
        return if ActiveRecord::Base.connection.table_exists?("good_jobs")

        folder = Gem::Specification.find_by_name("good_job").gem_dir
        migration_version = "[#{ActiveRecord::Migration.current_version}]"
        template =
          ERB.new(
            File.read(
              "#{folder}/lib/generators/good_job/templates/install/migrations/" \
                "create_good_jobs.rb.erb"
            )
          )
        code = template.result_with_hash(migration_version:)
        eval(code, TOPLEVEL_BINDING) # standard:disable Security/Eval, Style/EvalWithLocation
        ActiveRecord::Migration.verbose = false
        CreateGoodJobs.new.migrate(:up)
      end

      def work
        capsule = ::GoodJob.capsule
        ::GoodJob.configuration.options[:max_threads] = concurrency
        capsule.start
        sleep
      end

      def left = ::GoodJob::Job.where(finished_at: nil).count

      private

      def jobs = require_relative("good_job_job")

      def library = "good_job"

      def configure(config)
        super
        config.good_job = {execution_mode: :external, queues: "*", max_threads: concurrency || 10,
          preserve_job_records: false}
      end
    end
  end
end
