# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../jobs/error"

module Raffia
  module Integrations
    module Rails
      # Wraps each job in Rails' reloader, which loads changed code before the job, and releases
      # connections and `Current` after it.
      #
      # @api private
      class ReloaderMiddleware
        SOURCE = "job.raffia"

        def initialize(app) = @app = app

        # Rails' reporter gets a failure once, from {ErrorReport}, which knows the verdict; and
        # never an exception that ends a job without a failure.
        def call(_job, _item)
          ended = nil
          value = @app.reloader.wrap(source: SOURCE) do
            yield
          rescue Exception => ended # standard:disable Lint/RescueException
            nil
          end
          ended ? raise(ended) : value
        end
      end
    end
  end
end
