# frozen_string_literal: true

require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      module Status
        # Figures of one worker in this process.
        # @api private
        class SingleProcess
          # Nil while the application is loaded.
          attr_writer :worker

          def figures = @worker ? @worker.figures : SharedMetrics.read([], [])

          def counts = @worker&.counts.to_h

          def report = @worker&.report
        end
      end
    end
  end
end
