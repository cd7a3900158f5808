# frozen_string_literal: true

module Raffia
  # Generators of `rails generate raffia:NAME`.
  module Generators
    # `rails generate raffia:install`: runs the jobs of a Rails application with Raffia.
    class InstallGenerator < ::Rails::Generators::Base
      source_root ::File.expand_path("templates", __dir__)

      # @return [void]
      def settings = template("initializer.rb.tt", "config/initializers/raffia.rb")

      # @return [void]
      def command
        template("jobs.tt", "bin/jobs")
        chmod("bin/jobs", 0o755, verbose: false)
      end

      # In production only: tests have Active Job's own adapter, and in development jobs run best
      # within the server.
      # @return [void]
      def adapter
        file = "config/environments/production.rb"
        unless exists?(file)
          return say_status(:skip, "#{file} is not there: set config.active_job.queue_adapter = " \
            ":raffia", :yellow)
        end
        if read(file).match?(ADAPTER)
          return gsub_file(file, ADAPTER, '\1config.active_job.queue_adapter = :raffia')
        end

        environment("config.active_job.queue_adapter = :raffia", env: "production")
      end

      # Fibers share a thread, so Rails must isolate the state of jobs and requests by fiber.
      # @return [void]
      def isolation
        file = "config/application.rb"
        unless exists?(file) && read(file).include?("isolation_level")
          environment("config.active_support.isolation_level = :fiber")
        end
      end

      # @return [void]
      def dashboard
        file = "config/routes.rb"
        return unless exists?(file) && !read(file).include?("Raffia::Jobs::Web")

        inject_into_file(file, ::File.read(::File.join(self.class.source_root, "route.tt")),
          after: /\.routes\.draw do\n/)
      end

      # Keeps databases of jobs out of git.
      # @return [void]
      def ignore
        if exists?(".gitignore") && !read(".gitignore").match?(%r{^/storage/(?:\*|raffia)})
          append_to_file(".gitignore", "\n/storage/raffia_*.db*\n")
        end
      end

      private

      ADAPTER = /^( *)(?:# *)?config\.active_job\.queue_adapter *=.*$/
      private_constant :ADAPTER

      def exists?(file) = ::File.exist?(::File.join(destination_root, file))

      def read(file) = ::File.read(::File.join(destination_root, file))
    end
  end
end
