# frozen_string_literal: true

require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # Workers.
        class Processes < Page
          # Commands, and the labels of their buttons.
          COMMANDS = {"quiet" => "Quiet", "stop" => "Stop", "dump" => "Dump"}.freeze

          def data = processes

          def change(action)
            return super unless COMMANDS.key?(action)

            worker = required("worker")
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
