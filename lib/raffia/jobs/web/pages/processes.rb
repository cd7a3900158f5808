# frozen_string_literal: true

require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # The workers.
        # @api private
        class Processes < Page
          # What they can be told, and what the button says.
          ORDERS = {"quiet" => "Quiet", "stop" => "Stop", "dump" => "Dump"}.freeze

          def data = processes

          # @raise [NotFound] when it is gone
          def change(action)
            return super unless ORDERS.key?(action)

            worker = wanted("worker")
            store.order(worker, action) or
              raise NotFound.new("The worker #{worker} is gone.", name: worker)
            outcome("told", 1)
          end

          private

          def processes
            @processes ||= store.processes.sort_by { |process| process["identity"].to_s }
          end
        end
      end
    end
  end
end
