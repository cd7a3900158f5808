# frozen_string_literal: true

require_relative "../serve/command"
require_relative "jobs_role"

module Raffia
  module CLI
    module Up
      # One call of `raffia up`.
      #
      # @api private
      class Command < Serve::Command
        def initialize(flags, ...)
          super
          @jobs = flags.jobs
        end

        private

        # Jobs are loaded after the application, as in a worker.
        def check(settings)
          jobs = JobsRole.new(@jobs, nil, method(:attempt),
            single: Server::Options.build(settings).workers.zero?)
          super.tap { jobs.load }
        end

        def others(server)
          [JobsRole.new(@jobs, server.log, method(:attempt), single: server.options.workers.zero?)]
        end
      end
    end
  end
end
