# frozen_string_literal: true

require_relative "rails/railtie"

module Raffia
  module Integrations
    # Raffia in a Rails application: `gem "raffia", require: "raffia/rails"`, see
    # guides/rails_jobs.md.
    module Rails
    end
  end
end
