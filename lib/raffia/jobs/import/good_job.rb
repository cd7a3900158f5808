# frozen_string_literal: true

require_relative "active_job_item"
require_relative "table_source"

module Raffia
  module Jobs
    class Import
      # Jobs of GoodJob, version 4.
      # @api private
      class GoodJob < TableSource
        TABLE = "good_jobs"
        COLUMNS = {"id" => "id", "queue" => "queue_name", "priority" => "priority",
                   "scheduled_at" => "scheduled_at", "data" => "serialized_params",
                   "created_at" => "created_at", "finished_at" => "finished_at",
                   "error" => "error"}.freeze
        # GoodJob's workers hold this lock while they run a job.
        UNLOCKED = "pg_try_advisory_xact_lock(('x' || substr(md5('good_jobs-' || id::text), 1, " \
          "16))::bit(64)::bigint)"
        # Claimed by a process that has said so within five minutes.
        CLAIMED = "finished_at IS NULL AND EXISTS (SELECT 1 FROM good_job_processes p WHERE " \
          "p.id = good_jobs.locked_by_id AND p.updated_at > now() - interval '5 minutes')"
        WAITING = "finished_at IS NULL AND NOT (#{CLAIMED})"
        private_constant :COLUMNS, :UNLOCKED, :CLAIMED, :WAITING

        def initialize(url)
          unless url.start_with?("postgres")
            raise ConfigError, "GoodJob keeps jobs in PostgreSQL only: give an address such as " \
              "postgres://localhost/app"
          end

          super
        end

        def item(record)
          fields = {"queue" => record["queue"], "at" => seconds(record["scheduled_at"]),
                    "created_at" => milliseconds(record["created_at"]), **priority(record),
                    **failure(record)}.compact
          [ActiveJobItem.parse(record["data"].to_s, fields),
            ("it had failed" if record["section"] == "failed")]
        end

        def bytes(record) = record["data"].to_s

        private

        def sections
          order = "priority NULLS LAST, created_at, id"
          [["waiting", "#{WAITING} AND (scheduled_at IS NULL OR scheduled_at <= now())"],
            ["scheduled", "#{WAITING} AND scheduled_at > now()"],
            ["failed", "finished_at IS NOT NULL AND error IS NOT NULL"]].map do |name, where|
            Section.new(name:, columns: COLUMNS, from: TABLE, where:, order:, id: "id")
          end
        end

        def running
          {"running" => @database.value("SELECT COUNT(*) FROM #{TABLE} WHERE #{CLAIMED}").to_i}
        end

        # The rows are chosen before the locks, or more would be locked than are taken.
        def locked(section, size)
          @database.rows("WITH found AS MATERIALIZED (SELECT * FROM #{TABLE} WHERE " \
            "#{section.where} ORDER BY #{section.order} LIMIT #{size}#{@database.lock}) " \
            "SELECT #{section.columns.values.join(", ")} FROM found WHERE #{UNLOCKED}")
        end

        def remove(records)
          @database.delete(TABLE, "id", records.map { |record| record["id"] })
        end

        # Lower numbers are more urgent, as in Active Job.
        def priority(record)
          number = record["priority"].to_i
          number.zero? ? {} : {"raffia" => {"priority" => -number}}
        end

        # GoodJob writes "Class: message".
        def failure(record)
          return {} unless record["error"]

          name, message = record["error"].split(": ", 2)
          {"error_class" => name, "error_message" => message.to_s, "retry_count" => 0,
           "failed_at" => milliseconds(record["finished_at"] || record["created_at"])}
        end
      end
    end
  end
end
