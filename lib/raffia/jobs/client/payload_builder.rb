# frozen_string_literal: true

module Raffia
  module Jobs
    class Client
      BATCH = :raffia_jobs_batch
      private_constant :BATCH

      # Builds a complete payload from what a caller gives, and rejects what cannot be a job.
      # @api private
      module PayloadBuilder
        # Names of queues: Sidekiq's Web answers 404 to others.
        QUEUE = /\A[a-zA-Z0-9_:.-]+\z/
        # Fields by default.
        DEFAULTS = {"queue" => "default", "retry" => true}.freeze
        # Depth of arrays and hashes, a little less than what JSON reads.
        DEPTH = 90

        module_function

        # Raises {BadArguments} and {ConfigError}.
        def build(item)
          now = Payload.now
          job = item["class"]
          item = {**DEFAULTS, **(job.respond_to?(:job_options) ? job.job_options : {}), **item,
            "class" => class_name(job)}
          secrets = secrets(job, item)
          item[Payload::OWN] = {**secrets, **item[Payload::OWN].to_h} if secrets
          item["jid"] ||= Payload.id
          item["created_at"] ||= now
          check(item)
          batch = Fiber[BATCH]
          add_to_batch(item, batch) if batch
          # A job that is due already does not wait for the schedule.
          item.delete("at") if item["at"] && item["at"] * 1000 <= now
          item["enqueued_at"] = now unless item["at"]
          item
        end

        # Raises {BadArguments}, which names the first argument that JSON would change.
        def check_arguments(name, args, secret: false)
          unless args.is_a?(Array)
            raise BadArguments, "the arguments of #{name} must be an Array, and are " \
              "#{secret ? args.class : args.inspect[0, 100]}"
          end

          args.each_with_index do |value, index|
            unsafe = unsafe_value(value) or next
            shown = secret ? "a value" : unsafe[0].inspect[0, 100]
            raise BadArguments, "argument #{index + 1} of #{name} holds #{shown} " \
              "(#{unsafe[0].class}), which JSON would not give back: use strings, numbers, true, " \
              "false, nil, arrays, and hashes with strings as keys, at most #{DEPTH} deep"
          end
        end

        # Raises {ConfigError}.
        def check_queue(name)
          return if QUEUE.match?(name)

          raise ConfigError, "#{name.inspect} cannot be the name of a queue: use letters, digits " \
            "and _ : . -"
        end

        class << self
          private

          def class_name(job)
            job = job.name if job.is_a?(Module)
            return job if job.is_a?(String) && !job.empty?

            raise ConfigError, "a job needs a class with a name: #{job.inspect} is none"
          end

          # Options of the class that hide arguments, nil: none. A class may be given by its name,
          # and not be loaded here.
          def secrets(job, item)
            secrets = if job.respond_to?(:job_secrets)
              job.job_secrets
            elsif item["wrapped"].nil? && Setup.current.keyring
              Encryption.secrets_of(item["class"])
            end
            secrets unless secrets.nil? || secrets.empty?
          end

          def check(item)
            reject(item, Payload::OWN, "a Hash") unless optional?(Hash, item[Payload::OWN])
            own = item[Payload::OWN]
            check_arguments(item["class"], item["args"],
              secret: !own.nil? && !!(own["encrypt"] || own["redact"]))
            check_queue(item["queue"] = item["queue"].to_s)
            reject(item, "at", "seconds since 1970") unless time?(item["at"])
            reject(item, "jid", "a String") unless item["jid"].is_a?(String)
            reject(item, "tags", "an Array") unless optional?(Array, item["tags"])
          end

          def reject(item, field, wanted)
            raise ConfigError, "#{field} must be #{wanted}, not #{item[field].inspect}"
          end

          def optional?(type, value) = value.nil? || value.is_a?(type)

          def time?(at) = at.nil? || (at.is_a?(Numeric) && at.to_f.finite?)

          def add_to_batch(item, batch)
            own = item[Payload::OWN].to_h
            item[Payload::OWN] = {**own, "batch" => batch} unless own.key?("batch")
          end

          # The first value that JSON would change, in an Array because it may be nil or false.
          def unsafe_value(value, depth = 0)
            case value
            when String then [value] unless text?(value)
            when Integer, true, false, nil then nil
            when Float then [value] unless value.finite?
            when Array then first_unsafe(value, value, depth)
            when Hash then unsafe_key(value) || first_unsafe(value, value.values, depth)
            else [value]
            end
          end

          def text?(value)
            value.ascii_only? || (value.encoding == Encoding::UTF_8 && value.valid_encoding?)
          end

          def unsafe_key(hash)
            hash.each_key { |key| return [key] unless key.is_a?(String) }
            nil
          end

          def first_unsafe(collection, values, depth)
            return [collection] if depth >= DEPTH

            values.each { |value| (unsafe = unsafe_value(value, depth + 1)) and return unsafe }
            nil
          end
        end
      end
    end
  end
end
