# frozen_string_literal: true

require "digest"
require_relative "entry"
require_relative "object_tree"
require_relative "unreadable"

module Raffia
  module Jobs
    class Import
      # Converts a job of another gem. A job that no store or worker could handle becomes dead, and
      # keeps its bytes.
      # @api private
      class Conversion
        # Characters in names of queues that are replaced by "_".
        SPECIAL = /[^a-zA-Z0-9_:.-]/
        # Fields of a failure that has no others.
        FAILURE = {"error_class" => "Raffia::Jobs::Import::Unreadable", "retry_count" => 0}.freeze

        def initialize(source, map, permitted)
          @source = source
          @map = map
          @permitted = permitted
        end

        # The same key gives the same id.
        def call(record, key)
          item, reason = @source.item(record)
          entry(complete(item, key), reason)
        rescue Unreadable => error
          unreadable(record, key, error.message)
        rescue Jobs::Error, ConfigError => error # no draft can be made of it
          unreadable(record, key, error.message)
        end

        private

        def entry(item, reason)
          if @map
            item = @map.call(item) or raise Unreadable, "map.rb gave nil for it"
          end
          check(item)
          reason ||= unlisted(item)
          entry = Entry.new(item: reason ? dead(item, reason) : item, reason:)
          entry.draft
          entry
        end

        def complete(item, key)
          now = Payload.now
          queue = item["queue"].to_s.gsub(SPECIAL, "_")
          {"retry" => 0, "created_at" => now, **item.compact,
           "queue" => queue.empty? ? "default" : queue, "jid" => id(key),
           "enqueued_at" => now}
        end

        def id(key) = Digest::SHA256.hexdigest(key)[0, 2 * Payload::ID_BYTES]

        def check(item)
          unless item.is_a?(Hash) && item["queue"].is_a?(String) && item["jid"].is_a?(String)
            raise TypeError, "map.rb must return the payload, a Hash with class, args, queue and " \
              "jid, or nil, and has returned #{item.inspect[0, 100]}"
          end

          Client::PayloadBuilder.check_queue(item["queue"])
          Payload::FieldCheck.check(item)
          Client::PayloadBuilder.check_arguments(item["class"], item["args"])
        end

        def unlisted(item)
          return unless item["class"] == ObjectTree::JOB

          names = item["args"].flat_map { |tree| ObjectTree.classes(tree) }.uniq - @permitted
          "its class #{names.first} is not listed: --permit #{names.first}" if names.any?
        end

        def dead(item, reason)
          now = Payload.now
          {**FAILURE, "error_message" => reason, "failed_at" => now, **item, "discarded_at" => now}
        end

        def unreadable(record, key, message)
          bytes = @source.bytes(record)
          item = {"class" => "(unreadable)", "args" => [bytes.dup.force_encoding("UTF-8").scrub],
                  "raffia" => {"bytes" => [bytes].pack("m0")}}
          Entry.new(item: dead(complete(item, key), message), reason: message)
        end
      end
    end
  end
end
