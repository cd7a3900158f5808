# frozen_string_literal: true

require "digest"
require_relative "../payload"
require_relative "../entry"
require_relative "../worker/backtrace"
require_relative "format"

module Raffia
  module Jobs
    class Web
      # Presents a job on a page. Each field of its payload may have any value.
      # @api private
      class JobPresenter
        include Format

        # @return [Entry]
        attr_reader :entry

        # @param entry [Entry]
        def initialize(entry)
          @entry = entry
          @item = Payload.load(entry.payload)
        rescue BadPayload => error
          @item = {}
          @parse_error = error.message
        end

        # @return [Hash] {} when it cannot be read
        attr_reader :item
        # @return [String, nil] why it cannot be read
        attr_reader :parse_error

        # @return [String] that identifies it within its set
        def digest = @digest ||= Digest::SHA256.hexdigest("#{entry.at}\0#{entry.payload}")[0, 32]

        # @return [String] by which it is found again: the digest, and its id if it has one
        def key = [digest, *jid].join(" ").scrub

        # @return [String, nil]
        def jid = item["jid"].is_a?(String) ? item["jid"] : nil

        # @return [String] class of the job, not of Active Job's wrapper
        def name
          if parse_error
            "(unreadable)"
          else
            text(item["display_class"] || item["wrapped"] || item["class"])
          end
        end

        # @return [Object]
        def args
          first = item["args"].is_a?(Array) ? item["args"].first : nil
          if item["wrapped"] && first.is_a?(Hash) && first.key?("arguments")
            first["arguments"]
          else
            item["args"]
          end
        end

        # @return [String]
        def arguments
          return entry.payload.dup.force_encoding(Encoding::UTF_8).scrub if parse_error

          all = json(args)
          (args.is_a?(Array) && all.start_with?("[")) ? all[1..-2] : all
        end

        # @return [String]
        def error
          [item["error_class"], item["error_message"]].compact.map { |part| text(part) }.join(": ")
        end

        # @return [Array<String>]
        def backtrace
          Array(Worker::Backtrace.load(item["error_backtrace"])).map { |line| text(line) }
        end

        # @return [Array<String>]
        def tags = Array(item["tags"]).map { |tag| text(tag) }

        # @return [Hash] fields under "raffia"
        def own = item[Payload::OWN].is_a?(Hash) ? item[Payload::OWN] : {}

        # @return [Float, nil] seconds since 1970
        def time(field) = Payload.time(item[field])

        # @return [Integer] failed runs
        def failures = item["retry_count"].is_a?(Integer) ? item["retry_count"] + 1 : 0

        # @return [Hash] for programs
        def data
          {"key" => key, "set" => entry.set, "queue" => entry.queue, "at" => entry.at,
           **(parse_error ? {"payload" => arguments, "wrong" => parse_error} : {"job" => item})}
        end
      end
    end
  end
end
