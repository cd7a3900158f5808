# frozen_string_literal: true

require_relative "../page"
require_relative "../running_job"

module Raffia
  module Jobs
    class Web
      module Pages
        # Running jobs.
        class Busy < Page
          MAX = 200

          def data
            {"running" => counts[:running],
             "jobs" => running.map { |run| {"process" => run.identity, **run.work} }}
          end

          # Commands about a job, and their outcomes.
          COMMANDS = {"cancel" => "cancelled", "trace" => "traced"}.freeze

          def change(action)
            return super unless COMMANDS.key?(action)

            store.order(required("worker"), "#{action} #{jid}") or
              raise NotFound.new("The worker #{request["worker"]} is gone.",
                name: request["worker"])
            (action == "trace") ? outcome("traced", 1, "/job", jid:) : outcome("cancelled", 1)
          end

          private

          # A space would end the command.
          def jid
            required("jid").tap do |jid|
              unless jid.match?(/\A\S{1,200}\z/)
                raise ConfigError, "#{jid.inspect} is no id of a job"
              end
            end
          end

          def processes = @processes ||= store.processes

          def running = @running ||= RunningJob.of(processes)
        end
      end
    end
  end
end
