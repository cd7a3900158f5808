# frozen_string_literal: true

require_relative "active_job_item"
require_relative "table_source"

module Raffia
  module Jobs
    class Import
      # Jobs of Solid Queue.
      # @api private
      class SolidQueue < TableSource
        TABLE = "solid_queue_jobs"
        # Section => its table, and the order in which its jobs come.
        EXECUTIONS = {
          "waiting" => ["solid_queue_ready_executions", "e.priority, e.job_id"],
          "scheduled" => ["solid_queue_scheduled_executions", "e.scheduled_at, e.job_id"],
          "blocked" => ["solid_queue_blocked_executions", "e.priority, e.job_id"],
          "failed" => ["solid_queue_failed_executions", "e.job_id"]
        }.each_value(&:freeze).freeze
        COLUMNS = {"id" => "e.job_id", "queue" => "j.queue_name", "priority" => "j.priority",
                   "scheduled_at" => "j.scheduled_at", "arguments" => "j.arguments",
                   "key" => "j.concurrency_key", "created_at" => "j.created_at"}.freeze
        private_constant :EXECUTIONS, :COLUMNS

        def item(record)
          fields = {"queue" => record["queue"], "at" => seconds(record["scheduled_at"]),
                    "created_at" => milliseconds(record["created_at"]), "raffia" => own(record),
                    **failure(record)}.compact
          [ActiveJobItem.parse(record["arguments"].to_s, fields),
            ("it had failed" if record["section"] == "failed")]
        end

        def bytes(record) = record["arguments"].to_s

        private

        def sections
          EXECUTIONS.map do |name, (table, order)|
            failed = (name == "failed") ? {"error" => "e.error"} : {}
            Section.new(name:, columns: {**COLUMNS, **failed},
              from: "#{table} e JOIN #{TABLE} j ON j.id = e.job_id",
              where: "j.finished_at IS NULL", order:, id: "e.job_id")
          end
        end

        def running
          {"running" =>
            @database.value("SELECT COUNT(*) FROM solid_queue_claimed_executions").to_i}
        end

        # SQLite does not cascade unless it is told to.
        def remove(records)
          ids = records.map { |record| Integer(record["id"]) }
          @database.delete(EXECUTIONS.fetch(records.first["section"]).first, "job_id", ids)
          @database.delete(TABLE, "id", ids)
        end

        # Solid Queue does not store how many jobs of a key may run: one, unless a class says more.
        def own(record)
          priority = record["priority"].to_i
          key = record["key"]
          own = {"priority" => (-priority unless priority.zero?),
                 "limit" => ({"key" => key, "max" => 1} if key)}.compact
          own unless own.empty?
        end

        def failure(record)
          return {} unless record["section"] == "failed"

          error = JSON.parse(record["error"].to_s)
          error = {} unless error.is_a?(Hash)
          {"error_class" => error["exception_class"].to_s, "error_message" => error["message"].to_s,
           "retry_count" => 0, "failed_at" => milliseconds(record["created_at"])}
        rescue JSON::ParserError
          {}
        end
      end
    end
  end
end
