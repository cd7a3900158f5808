# frozen_string_literal: true

require_relative "pages/batches"
require_relative "pages/busy"
require_relative "pages/entries"
require_relative "pages/functions"
require_relative "pages/home"
require_relative "pages/job"
require_relative "pages/metrics"
require_relative "pages/processes"
require_relative "pages/queues"
require_relative "pages/scaling"
require_relative "pages/rates"
require_relative "pages/recurring"
require_relative "pages/workflows"
require_relative "pages/problem"

module Raffia
  module Jobs
    class Web
      # Pages by path: HTML, and JSON under {Request::API}.
      # @api private
      module Routes
        PAGES = {
          "/" => [Pages::Home], "/queues" => [Pages::Queues], "/busy" => [Pages::Busy],
          "/processes" => [Pages::Processes],
          **Pages::Entries::PATHS.to_h { |set, path| [path, [Pages::Entries, set]] },
          "/job" => [Pages::Job],
          "/recurring" => [Pages::Recurring], "/batches" => [Pages::Batches],
          "/batch" => [Pages::Batch],
          "/workflows" => [Pages::Workflows], "/workflow" => [Pages::Workflow],
          "/functions" => [Pages::Functions], "/function" => [Pages::Function],
          "/metrics" => [Pages::Metrics], "/class" => [Pages::JobClass],
          "/rates" => [Pages::Rates], "/scaling" => [Pages::Scaling]
        }.freeze

        def self.page(request, web)
          kind, *about = PAGES[request.path] ||
            raise(NotFound.new("There is no page #{request.path}.", name: request.path))
          kind.new(request, web, *about)
        end
      end
    end
  end
end
