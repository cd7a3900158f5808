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

        # Rails' error reporter must not get exceptions that end a job without a failure.
        def call(_job, _item)
          ended = nil
          value = @app.reloader.wrap(source: SOURCE) do
            yield
          rescue Cancel, Jobs::Interrupted => ended
            nil
          end
          ended ? raise(ended) : value
        end
      end
    end
  end
end
