# frozen_string_literal: true

require_relative "../../jobs"
require_relative "reloader_middleware"
require_relative "enqueue_timing"
require_relative "error_report"
require_relative "storage"
require_relative "worker_setup"

module Raffia
  module Integrations
    module Rails
      # `config.raffia`: settings of jobs in a Rails application. By default all are nil:
      #
      # * store: a {Jobs::Store} or its URL, else RAFFIA_STORE, else storage/raffia_production.db
      # * enqueue: when jobs of a database transaction are stored: :after_commit (default),
      #   :in_transaction (in the application's own PostgreSQL or MySQL), or :now. A job class
      #   overrides it by `enqueue_after_transaction_commit`
      # * place: where jobs run by default, see {WorkerSetup}
      Settings = Struct.new(:store, :enqueue, :place)

      # Connects Raffia's jobs with a Rails application.
      class Railtie < ::Rails::Railtie
        config.raffia = Settings.new

        # Not in an initializer, because Active Job looks the adapter up when its name is set.
        ::ActiveSupport.on_load(:active_job) do
          require_relative "../../../active_job/queue_adapters/raffia_adapter"
        end

        # The application's classes cannot be loaded while its initializers run.
        config.before_initialize { Jobs::Setup.current.deferred = [] }
        config.after_initialize do
          setup = Jobs::Setup.current
          blocks = setup.deferred || []
          setup.deferred = nil
          blocks.each { |block| Jobs.recurring(&block) }
        end

        initializer "raffia.store", after: :load_config_initializers do |app|
          Storage.prepare(Jobs::Setup.current, app)
        end

        initializer "raffia.enqueue", after: :load_config_initializers do |app|
          timing = EnqueueTiming.new(app.config.raffia.enqueue)
          ::ActiveSupport.on_load(:active_job) { timing.apply(self) }
        end

        initializer "raffia.jobs" do |app|
          setup = Jobs::Setup.current
          setup.worker_middleware.prepend(ReloaderMiddleware.new(app))
          setup.error_handlers << ErrorReport.method(:call)
          setup.at_start << WorkerSetup.new(app)
        end
      end
    end
  end
end
