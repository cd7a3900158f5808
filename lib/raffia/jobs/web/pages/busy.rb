# frozen_string_literal: true

require_relative "../page"
require_relative "../running_job"

module Raffia
  module Jobs
    class Web
      module Pages
        # What is being done.
        # @api private
        class Busy < Page
          # Most of them on the page.
          MOST = 200

          def data
            {"running" => counts[:running],
             "jobs" => running.map { |run| {"process" => run.identity, **run.work} }}
          end

          # What a worker can be told about a job, and what is said then.
          ORDERS = {"cancel" => "cancelled", "trace" => "traced"}.freeze

          # @raise [NotFound] when its worker is gone
          def change(action)
            return super unless ORDERS.key?(action)

            store.order(wanted("worker"), "#{action} #{jid}") or
              raise NotFound.new("The worker #{request["worker"]} is gone.",
                name: request["worker"])
            (action == "trace") ? outcome("traced", 1, "/job", jid: jid) : outcome("cancelled", 1)
          end

          private

          # It goes into an order, of which a space would end it.
          def jid
            wanted("jid").tap do |jid|
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
