# frozen_string_literal: true

module Raffia
  # Generators of `rails generate raffia:NAME`.
  module Generators
    # `rails generate raffia:job NAME`: a Raffia::Job. (`rails generate job NAME` makes an Active
    # Job.)
    class JobGenerator < ::Rails::Generators::NamedBase
      source_root ::File.expand_path("templates", __dir__)
      class_option :queue, type: :string, default: "default", desc: "the queue"
      check_class_collision suffix: "Job"

      # @return [void]
      def job = template("job.rb.tt", ::File.join("app/jobs", class_path, "#{file_name}_job.rb"))

      # @return [void]
      def job_test
        template("job_test.rb.tt", ::File.join("test/jobs", class_path, "#{file_name}_job_test.rb"))
      end

      private

      def file_name = super.delete_suffix("_job")
    end
  end
end
