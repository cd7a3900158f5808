# frozen_string_literal: true

require_relative "active_job_item"
require_relative "table_source"
require_relative "yaml_reader"

module Raffia
  module Jobs
    class Import
      # Jobs of Delayed Job with Active Record.
      # @api private
      class DelayedJob < TableSource
        TABLE = "delayed_jobs"
        # Seconds after which Delayed Job itself takes a lock for one that was left behind.
        LOCKED = 4 * 3600
        # Retries: Delayed Job tries 25 times in all.
        RETRIES = 24
        COLUMNS = %w[id priority attempts handler last_error run_at failed_at queue created_at]
          .to_h { |name| [name, name] }.freeze
        private_constant :LOCKED, :COLUMNS

        def item(record)
          fields = fields(record)
          tree = YAMLReader.read(record["handler"])
          [payload(tree, fields), ("it had failed" if record["failed_at"])]
        rescue Unreadable => error
          [unread(record, fields), error.message]
        end

        def bytes(record) = record["handler"].to_s

        private

        def sections
          now = literal(Time.now)
          [section("waiting", "failed_at IS NULL AND (run_at IS NULL OR run_at <= #{now})"),
            section("scheduled", "failed_at IS NULL AND run_at > #{now}"),
            section("failed", "failed_at IS NOT NULL")]
        end

        def section(name, state)
          Section.new(name:, columns: COLUMNS, from: TABLE,
            where: "#{state} AND NOT (#{locked_now})", order: "priority, run_at, id", id: "id")
        end

        def locked_now
          "failed_at IS NULL AND locked_at IS NOT NULL AND locked_at > " \
            "#{literal(Time.now - LOCKED)}"
        end

        def running
          {"running" => @database.value("SELECT COUNT(*) FROM #{TABLE} WHERE #{locked_now}").to_i}
        end

        def literal(time) = time.utc.strftime("'%Y-%m-%d %H:%M:%S'")

        def remove(records)
          @database.delete(TABLE, "id", records.map { |record| Integer(record["id"]) })
        end

        def fields(record)
          attempts = record["attempts"].to_i
          {"queue" => record["queue"], "retry" => RETRIES,
           "at" => seconds(record["run_at"]), "created_at" => milliseconds(record["created_at"]),
           **priority(record), **(attempts.positive? ? failure(record, attempts) : {})}.compact
        end

        def priority(record)
          number = record["priority"].to_i
          number.zero? ? {} : {"raffia" => {"priority" => -number}}
        end

        # Delayed Job keeps the error's message and backtrace, but not its class.
        def failure(record, attempts)
          message = record["last_error"].to_s.lines(chomp: true).first.to_s
          {"retry_count" => attempts - 1, "error_message" => message,
           "error_class" => "StandardError",
           "failed_at" => milliseconds(record["failed_at"] || record["run_at"])}
        end

        def payload(tree, fields)
          data = active_job(tree) and return ActiveJobItem.build(data, fields)
          unless %w[call object struct].include?(tree["type"])
            raise Unreadable, "its handler is no job"
          end

          {**ObjectTree.item(tree), **fields}
        end

        # The data of Active Job's wrapper.
        def active_job(tree)
          raise Unreadable, "its handler is no job" unless tree.is_a?(Hash)
          return unless tree["type"] == "object" && tree["class"] == YAMLReader::WRAPPER

          ObjectTree.plain(tree["fields"]["job_data"])
        end

        # It can be retried when its worker knows its class.
        def unread(record, fields)
          {"class" => ObjectTree::JOB, "wrapped" => "(unreadable)",
           "args" => [{"type" => "yaml", "value" => text(record["handler"].to_s)}], **fields}
        end

        def text(bytes)
          text = bytes.dup.force_encoding(Encoding::UTF_8)
          return text if text.valid_encoding?

          {"type" => "bytes", "value" => [bytes].pack("m0")}
        end
      end
    end
  end
end
