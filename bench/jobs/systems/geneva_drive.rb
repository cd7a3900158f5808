# frozen_string_literal: true

require_relative "solid_queue"

module JobsBench
  module Systems
    # Workflows whose steps are one after the other, each a job of Solid Queue.
    class GenevaDrive < SolidQueue
      # Its generator's, in the order of the generator.
      MIGRATIONS = %w[create_workflows_migration create_step_executions_migration
        add_finished_at_to_step_executions add_error_class_name_to_step_executions
        add_metadata_to_step_executions add_metadata_to_workflows allow_null_hero_on_workflows
        add_started_at_index_to_step_executions add_resumable_step_support
        add_signals_support].freeze

      def connect
        super
        require "geneva_drive"
        migrate unless ActiveRecord::Base.connection.table_exists?("geneva_drive_workflows")
        require_relative "geneva_drive_flow"
      end

      def bulk(numbers)
        numbers.each_slice(STEPS) { GenevaDriveFlow.create!(allow_multiple: true) }
      end

      def left = super + GenevaDriveFlow.ongoing.count

      private

      def boot
        require "geneva_drive"
        super
      end

      def migrate
        folder = "#{Gem::Specification.find_by_name("geneva_drive").gem_dir}/lib/generators/" \
          "geneva_drive/install/templates"
        ActiveRecord::Migration.verbose = false
        MIGRATIONS.each do |name|
          path = Dir["#{folder}/#{name}.rb*"].first
          code = ERB.new(File.read(path)).result_with_hash(
            migration_version: "[#{ActiveRecord::Migration.current_version}]"
          )
          eval(code, TOPLEVEL_BINDING, path) # standard:disable Security/Eval
          Object.const_get(code[/class (\w+)/, 1]).new.migrate(:up)
        end
      end
    end
  end
end
