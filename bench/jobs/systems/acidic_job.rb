# frozen_string_literal: true

require "erb"
require_relative "solid_queue"

module JobsBench
  module Systems
    # Jobs of Solid Queue whose steps are recorded, each in a transaction.
    class AcidicJob < SolidQueue
      def connect
        super
        migrate unless ActiveRecord::Base.connection.table_exists?("acidic_job_runs")
        require_relative "acidic_job_job"
      end

      def bulk(numbers)
        numbers.each_slice(STEPS) { |steps| AcidicJobJob.perform_later(steps.first) }
      end

      def left = super + ::AcidicJob::Run.where.not(recovery_point: "FINISHED").count

      private

      def boot
        require "acidic_job"
        super
      end

      def migrate
        path = "#{Gem::Specification.find_by_name("acidic_job").gem_dir}/lib/generators/acidic_job/" \
          "templates/create_acidic_job_runs_migration.rb.erb"
        ActiveRecord::Migration.verbose = false
        code = ERB.new(File.read(path)).result_with_hash(
          migration_class_name: "CreateAcidicJobRuns",
          migration_version: "[#{ActiveRecord::Migration.current_version}]"
        )
        # Active Record 8.1 takes no Proc as the default of a boolean.
        code.sub!("-> { false }", "false")
        eval(code, TOPLEVEL_BINDING, path) # standard:disable Security/Eval
        CreateAcidicJobRuns.new.migrate(:up)
      end
    end
  end
end
