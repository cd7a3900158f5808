# frozen_string_literal: true

require_relative "../errors"
require_relative "../payload"

module Raffia
  module Jobs
    class Client
      # Makes what a caller says about a job a whole payload, and refuses what would be none.
      module PayloadBuilder
        # What a queue may be called: Sidekiq's Web answers 404 to anything else.
        QUEUE = /\A[a-zA-Z0-9_:.-]+\z/
        # Where nothing is said.
        DEFAULTS = {"queue" => "default", "retry" => true}.freeze
        # How deep arrays and hashes may be within one another: a little less than what JSON reads.
        DEPTH = 90

        module_function

        # @param item [Hash] with "class" and "args"
        # @return [Hash] with all that a payload must have
        # @raise [BadArguments, ConfigError]
        def build(item)
          now = Payload.now
          item = {**DEFAULTS, **of_class(item["class"]), **item, "class" => name_of(item["class"])}
          item["jid"] ||= Payload.id
          item["created_at"] ||= now
          check(item)
          join(item, Client.batch) if Client.batch
          item["at"] ? later(item, now) : item["enqueued_at"] = now
          item
        end

        # Whether arguments come back from JSON as they are.
        # @raise [BadArguments] that names the one that does not
        def check_arguments(name, args)
          unless args.is_a?(Array)
            raise BadArguments, "the arguments of #{name} must be an Array, and are " \
              "#{args.inspect[0, 100]}"
          end

          args.each_with_index do |value, index|
            odd = odd_one(value)
            raise BadArguments, wording(name, index, odd.first) if odd
          end
        end

        class << self
          private

          def of_class(job) = job.respond_to?(:job_options) ? job.job_options : {}

          def name_of(job)
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

          def join(item, batch)
            own = item[Payload::OWN].to_h
            item[Payload::OWN] = {**own, "batch" => batch} unless own.key?("batch")
          end

          # What is due already need not wait for anybody who looks at the schedule.
          def later(item, now)
            return if item["at"] * 1000 > now

            item.delete("at")
            item["enqueued_at"] = now
          end

          # @return [Array(Object), nil] the first value in it that JSON would change: it may be nil
          #   or false, as a key
          def odd_one(value, depth = 0)
            case value
            when String then [value] unless text?(value)
            when Integer, true, false, nil then nil
            when Float then [value] unless value.finite?
            when Array then too_deep(value, depth) || first_odd(value, depth)
            when Hash
              too_deep(value, depth) || odd_key(value) || first_odd(value.values, depth)
            else [value]
            end
          end

          def text?(value)
            value.ascii_only? || (value.encoding == Encoding::UTF_8 && value.valid_encoding?)
          end

          def too_deep(value, depth) = ([value] if depth >= DEPTH)

          def odd_key(hash)
            hash.each_key { |key| return [key] unless key.is_a?(String) }
            nil
          end

          def first_odd(values, depth)
            values.each { |value| (odd = odd_one(value, depth + 1)) and return odd }
            nil
          end

          def wording(name, index, odd)
            "argument #{index + 1} of #{name} holds #{odd.inspect[0, 100]} (#{odd.class}), which " \
            "JSON would not give back: " \
              "use strings, numbers, true, false, nil, arrays, and hashes with strings as keys, " \
              "at most #{DEPTH} deep"
          end
        end
      end
    end
  end
end
