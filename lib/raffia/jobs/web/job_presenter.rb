# frozen_string_literal: true

require "digest"
require_relative "../payload"
require_relative "../entry"
require_relative "../redaction"
require_relative "../worker/backtrace"
require_relative "format"

module Raffia
  module Jobs
    class Web
      # Presents a job on a page. Fields of its payload may have any values.
      # @api private
      class JobPresenter
        include Format

        attr_reader :entry

        def initialize(entry)
          @entry = entry
          @item = Redaction.item(Payload.load(entry.payload))
        rescue BadPayload => error
          @item = {}
          @parse_error = error.message
        end

        # Without hidden arguments; {} when it cannot be read.
        attr_reader :item
        # Why it cannot be read.
        attr_reader :parse_error

        # Identifies the entry within its set.
        def digest = @digest ||= Digest::SHA256.hexdigest("#{entry.at}\0#{entry.payload}")[0, 32]

        # Finds the entry again: its digest, and its id if it has one.
        def key = [digest, *jid].join(" ").scrub

        def jid = item["jid"].is_a?(String) ? item["jid"] : nil

        # Class of the job instead of Active Job's wrapper.
        def name
          if parse_error
            "(unreadable)"
          else
            text(item["display_class"] || item["wrapped"] || item["class"])
          end
        end

        def args
          first = item["args"].is_a?(Array) ? item["args"].first : nil
          if item["wrapped"] && first.is_a?(Hash) && first.key?("arguments")
            first["arguments"]
          else
            item["args"]
          end
        end

        def arguments
          return entry.payload.dup.force_encoding(Encoding::UTF_8).scrub if parse_error

          all = json(args)
          (args.is_a?(Array) && all.start_with?("[")) ? all[1..-2] : all
        end

        def error
          [item["error_class"], item["error_message"]].compact.map { |part| text(part) }.join(": ")
        end

        def backtrace
          Array(Worker::Backtrace.load(item["error_backtrace"])).map { |line| text(line) }
        end

        def tags = Array(item["tags"]).map { |tag| text(tag) }

        # Fields under "raffia".
        def own = item[Payload::OWN].is_a?(Hash) ? item[Payload::OWN] : {}

        # Seconds since 1970.
        def time(field) = Payload.time(item[field])

        # Failed runs.
        def failures = item["retry_count"].is_a?(Integer) ? item["retry_count"] + 1 : 0

        # JSON for programs.
        def data
          {"key" => key, "set" => entry.set, "queue" => entry.queue, "at" => entry.at,
           **(parse_error ? {"payload" => arguments, "wrong" => parse_error} : {"job" => item})}
        end
      end
    end
  end
end
