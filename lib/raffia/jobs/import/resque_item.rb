# frozen_string_literal: true

require "json"
require "time"
require_relative "active_job_item"

module Raffia
  module Jobs
    class Import
      # Converts a job of Resque.
      # @api private
      module ResqueItem
        # Active Job's adapter for Resque.
        WRAPPER = "ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper"

        module_function

        # `kind` is queue, at or failed; `name` that of the queue, or a time. Returns what
        # {Source#item} returns. Raises {Unreadable}.
        def build(kind, name, bytes)
          return failure(parse(bytes)) if kind == "failed"

          job = parse(bytes)
          queue = (kind == "queue") ? name : job["queue"]
          [payload(job, {"queue" => queue, "at" => (Float(name) if kind == "at")}.compact), nil]
        end

        class << self
          private

          def parse(bytes)
            job = JSON.parse(bytes)
            job.is_a?(Hash) ? job : raise(Unreadable, "it is no JSON object")
          rescue JSON::ParserError, EncodingError
            raise Unreadable, "it is no JSON"
          end

          def payload(job, fields)
            name, args = job.values_at("class", "args")
            unless name.is_a?(String) && args.is_a?(Array)
              raise Unreadable, "it has no class, or no array of arguments"
            end
            return ActiveJobItem.build(args.first, fields) if name == WRAPPER

            {"class" => name, "args" => args, **fields}
          end

          def failure(failed)
            job = failed["payload"]
            raise Unreadable, "it has no payload" unless job.is_a?(Hash)

            fields = {"queue" => failed["queue"], "error_class" => failed["exception"].to_s,
                      "error_message" => failed["error"].to_s, "retry_count" => 0,
                      "failed_at" => failed_at(failed["failed_at"])}
            [payload(job, fields.compact), "it had failed"]
          end

          def failed_at(text)
            (Time.parse(text.to_s).to_f * 1000).round
          rescue ArgumentError
            nil
          end
        end
      end
    end
  end
end
