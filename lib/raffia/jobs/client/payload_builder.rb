# frozen_string_literal: true

require_relative "../error"
require_relative "../payload"

module Raffia
  module Jobs
    class Client
      # Builds a complete payload from what a caller gives, and rejects what cannot be a job.
      module PayloadBuilder
        # Names of queues: Sidekiq's Web answers 404 to others.
        QUEUE = /\A[a-zA-Z0-9_:.-]+\z/
        # Fields by default.
        DEFAULTS = {"queue" => "default", "retry" => true}.freeze
        # Depth of arrays and hashes, a little less than what JSON reads.
        DEPTH = 90

        module_function

        # @param item [Hash] with "class" and "args"
        # @return [Hash] with all required fields
        # @raise [BadArguments, ConfigError]
        def build(item)
          now = Payload.now
          item = {**DEFAULTS, **class_options(item["class"]), **item,
            "class" => class_name(item["class"])}
          item["jid"] ||= Payload.id
          item["created_at"] ||= now
          check(item)
          add_to_batch(item, Client.batch) if Client.batch
          item["at"] ? schedule(item, now) : item["enqueued_at"] = now
          item
        end

        # Checks that JSON gives the arguments back unchanged.
        # @raise [BadArguments] that names the first one that it would change
        def check_arguments(name, args)
          unless args.is_a?(Array)
            raise BadArguments, "the arguments of #{name} must be an Array, and are " \
              "#{args.inspect[0, 100]}"
          end

          args.each_with_index do |value, index|
            unsafe = unsafe_value(value)
            raise BadArguments, message(name, index, unsafe.first) if unsafe
          end
        end

        class << self
          private

          def class_options(job) = job.respond_to?(:job_options) ? job.job_options : {}

          def class_name(job)
            job = job.name if job.is_a?(Module)
            return job if job.is_a?(String) && !job.empty?

            raise ConfigError, "a job needs a class with a name: #{job.inspect} is none"
          end

          def check(item)
            check_arguments(item["class"], item["args"])
            item["queue"] = item["queue"].to_s
            unless QUEUE.match?(item["queue"])
              raise ConfigError, "#{item["queue"].inspect} cannot be the name of a queue: use " \
                "letters, digits and _ : . -"
            end
            unless time?(item["at"])
              raise ConfigError, "at must be seconds since 1970, not #{item["at"].inspect}"
            end
            unless item["jid"].is_a?(String)
              raise ConfigError, "jid must be a String, not #{item["jid"].inspect}"
            end
            unless item[Payload::OWN].nil? || item[Payload::OWN].is_a?(Hash)
              raise ConfigError, "raffia must be a Hash, not #{item[Payload::OWN].inspect}"
            end
            unless item["tags"].nil? || item["tags"].is_a?(Array)
              raise ConfigError, "tags must be an Array, not #{item["tags"].inspect}"
            end
          end

          def time?(at) = at.nil? || (at.is_a?(Numeric) && at.to_f.finite?)

          def add_to_batch(item, batch)
            own = item[Payload::OWN].to_h
            item[Payload::OWN] = {**own, "batch" => batch} unless own.key?("batch")
          end

          # A job that is due already does not wait for the schedule.
          def schedule(item, now)
            return if item["at"] * 1000 > now

            item.delete("at")
            item["enqueued_at"] = now
          end

          # @return [Array(Object), nil] the first value that JSON would change, in an Array because
          #   it may be nil or false
          def unsafe_value(value, depth = 0)
            case value
            when String then [value] unless text?(value)
            when Integer, true, false, nil then nil
            when Float then [value] unless value.finite?
            when Array then too_deep(value, depth) || first_unsafe(value, depth)
            when Hash
              too_deep(value, depth) || unsafe_key(value) || first_unsafe(value.values, depth)
            else [value]
            end
          end

          def text?(value)
            value.ascii_only? || (value.encoding == Encoding::UTF_8 && value.valid_encoding?)
          end

          def too_deep(value, depth) = ([value] if depth >= DEPTH)

          def unsafe_key(hash)
            hash.each_key { |key| return [key] unless key.is_a?(String) }
            nil
          end

          def first_unsafe(values, depth)
            values.each { |value| (unsafe = unsafe_value(value, depth + 1)) and return unsafe }
            nil
          end

          def message(name, index, unsafe)
            "argument #{index + 1} of #{name} holds #{unsafe.inspect[0, 100]} (#{unsafe.class}), " \
            "which " \
            "JSON would not give back: " \
              "use strings, numbers, true, false, nil, arrays, and hashes with strings as keys, " \
              "at most #{DEPTH} deep"
          end
        end
      end
    end
  end
end
