# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../jobs/error"

module Raffia
  module Integrations
    module Rails
      # Around each job: changed code is loaded before, and what belongs to the job goes afterwards,
      # connections to databases and `Current`.
      #
      # @api private
      class ReloaderMiddleware
        SOURCE = "job.raffia"

        # @param app [::Rails::Application]
        def initialize(app) = @app = app

        # What ends a job that has not failed is nothing for Rails' error reporter.
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
