# frozen_string_literal: true

require_relative "subcommand"
require_relative "../../jobs/store_metrics"

module Raffia
  module CLI
    class Jobs < Command
      # Shows what monitoring and autoscalers read.
      class Monitoring < Subcommand
        # OpenMetrics text, also with --json.
        def metrics
          @out.puts(Raffia::Jobs::StoreMetrics.text(state))
          OK
        end

        def scaling
          settings = {**@options.slice(:target, :slots, :min, :max),
                      **(@options[:queue] ? {queues: [@options[:queue]]} : {})}
          data = state.autoscaling(**settings).to_h
          answer(data) { table(data.map { |name, value| [name.tr("_", " "), value] }) }
        end

        private

        def state = Raffia::Jobs::StoreState.new(store)
      end
    end
  end
end
