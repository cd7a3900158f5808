# frozen_string_literal: true

require_relative "../../jobs"
require_relative "../../jobs/worker"
require_relative "../../jobs/worker/role"
require_relative "../../jobs/worker/status/single_process"
require_relative "../program"

module Raffia
  module CLI
    module Up
      # The job workers beside a server.
      #
      # @api private
      class JobsRole < Jobs::Worker::Role
        # Settings of a worker.
        WORKER = %i[queues concurrency timeout].freeze
        private_constant :WORKER

        # `attempt` reports errors of the user's files. `single`: run in this process.
        def initialize(given, log, attempt, single:)
          super(processes: given.fetch(:jobs, 1), log: log, load: method(:load_program),
                timeout: given.fetch(:timeout, Settings[:timeout].default)) do |context|
            worker(context)
          end
          @given = given
          @attempt = attempt
          @single = single
          @status = Jobs::Worker::Status::SingleProcess.new if single
          # The server loads a Rails application already.
          @program = Program.new(given.fetch(:require, []), search: [Program::FILE], optional: true)
          Jobs::Worker::Queues.new(given.fetch(:queues, []))
          Jobs.store = given[:store] if given[:store]
          check(given[:store] || Jobs::Config.load.store.to_s)
        end

        # Shown at the server's metrics address.
        def metrics
          require_relative "../work/metrics"
          Work::Metrics.new(status)
        end

        # Runs the worker in this process.
        def start
          load
          worker(nil).tap { |worker| status.worker = worker }.start
        end

        private

        # Runs after the application was loaded.
        def load_program
          @attempt.call { @program.load }
          Jobs.store = @given[:store] if @given[:store]
        end

        def worker(liveness)
          check(Jobs.store.url)
          Jobs::Worker.new(Jobs.store, liveness: liveness, log: @log, wait: true,
            **@given.slice(*WORKER))
        end

        def check(url) = @single || Options.common_store(url)
      end
    end
  end
end
