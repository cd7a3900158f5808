# frozen_string_literal: true

require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      module Status
        # Figures of one worker in this process.
        #
        # @api private
        class SingleProcess
          # @return [Worker, nil] nil while the application is loaded
          attr_writer :worker

          # @return [Hash] see {SharedMetrics.read}
          def figures = @worker ? @worker.figures : SharedMetrics.read([], [])

          # @return [Hash, nil] see {Worker#report}; nil when nobody can tell
          def report = @worker&.report
        end
      end
    end
  end
end
