# frozen_string_literal: true

require_relative "../../jobs"
require_relative "../../jobs/worker"
require_relative "../../jobs/worker/seated"
require_relative "../../jobs/worker/status/alone"
require_relative "../../jobs/worker/status/supervised"
require_relative "../../jobs/worker/supervised"
require_relative "../program"

module Raffia
  module CLI
    module Up
      # The jobs beside a server: what its supervisor must know of the workers that do them.
      #
      # @api private
      class Beside
        # What goes to a worker.
        WORKER = %i[queues concurrency timeout].freeze

        # @param asked [Hash] by the command line
        # @param log [Logger]
        # @param guard [#call] reports what files of the user raise
        # @param alone [Boolean] whether there are no processes but this one
        # @raise [ConfigError, NotFound]
        def initialize(asked, log, guard, alone:)
          @asked = asked
          @log = log
          @guard = guard
          @alone = alone
          # Rails is the application itself
          @program = Program.new(asked[:require] || [], search: [Program::FILE], optional: true)
          Jobs::Worker::Queues.new(asked[:queues] || [])
          Jobs.store = asked[:store] if asked[:store]
          check(asked[:store] || Raffia.config.store.to_s)
          @figures = alone ? Jobs::Worker::Status::Alone.new : Jobs::Worker::Status::Supervised.new
        end

        # @return [Work::Metrics] what the server's metrics address tells of the jobs
        def metrics
          require_relative "../work/metrics"
          Work::Metrics.new(@figures)
        end

        # @param supervisor [Process::Supervisor]
        # @return [void]
        def supervisor=(supervisor)
          @figures.supervisor = supervisor
        end

        # What a worker has sent to the supervisor.
        # @return [void]
        def hear(name, data) = @figures.hear(name, data)

        # @return [Integer]
        def workers = @asked[:jobs] || 1

        # @return [Numeric] seconds until the supervisor kills one that was told to end
        def timeout = (@asked[:timeout] || Jobs::Worker::TIMEOUT) + Jobs::Worker::Supervised::MARGIN

        # After the application.
        # @return [void]
        def load
          @guard.call { @program.load }
          Jobs.store = @asked[:store] if @asked[:store]
        end

        # @return [Hash{Symbol => #call}]
        def signals(supervisor) = Jobs::Worker::Seated.signals(supervisor)

        # The life of a worker.
        # @param seat [Process::Supervisor::WorkerContext]
        # @return [void]
        def call(seat)
          Jobs::Worker::Seated.run(seat, @log) { worker(seat) }
        end

        # In this process.
        # @return [Jobs::Worker::Handle]
        def start
          load
          worker(nil).tap { |worker| @figures.worker = worker }.start
        end

        private

        def worker(heart)
          check(Jobs.store.url)
          Jobs::Worker.new(Jobs.store, heart: heart, log: @log, wait: true, **@asked.slice(*WORKER))
        end

        def check(url) = @alone || Options.common_store(url)
      end
    end
  end
end
