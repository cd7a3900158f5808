# frozen_string_literal: true

require_relative "sidekiq"

module JobsBench
  module Systems
    # Workflows in Redis whose steps are jobs of Active Job on Sidekiq.
    class Gush < Sidekiq
      # It requires bundler/setup. Gems are found by GEM_HOME here, as those of the other systems.
      def self.without_bundler(folder)
        FileUtils.mkdir_p("#{folder}/bundler")
        FileUtils.touch("#{folder}/bundler/setup.rb")
        $LOAD_PATH.unshift(folder)
      end

      def env = super.merge("JOBS_BENCH_FOLDER" => database.folder)

      def connect
        super
        require_relative "gush_flow"
      end

      def bulk(numbers)
        numbers.each_slice(STEPS) { |steps| GushFlow.create(steps.first).start! }
      end

      def command
        program("sidekiq", "sidekiq", "-r", File.join(__dir__, "gush_flow.rb"), "-e", "production",
          "-c", concurrency.to_s, "-q", "gush")
      end
    end
  end
end
