# frozen_string_literal: true

require_relative "../../executor"

module Raffia
  module Jobs
    module Payload
      # Checks fields that stores and workers act on. Clients in other languages may write anything;
      # a job with an invalid field is dead, with a message about it.
      #
      # @api private
      module FieldCheck
        # Higher priorities are those of suspects, see {Store::CrashVerdict}.
        PRIORITIES = 2**49
        EXECUTORS = [*(Executor::ALL.keys - [:inline]), :auto].map(&:name).freeze
        STYLES = [nil, "window", "bucket"].freeze
        # Starts of a rate, at most: a window keeps the time of each.
        RATE = 10_000
        WEIGHTS = (0.001..1000)
        ENDS = %w[start done window].freeze
        CONFLICTS = [nil, "skip", "raise", "replace"].freeze
        # Field under "raffia" => predicate, and what it accepts.
        RULES = {
          "priority" => [:priority?, "a whole number within 2**49"],
          "timeout" => [:positive?, "seconds above 0"],
          "on" => [:executor?, "one of #{EXECUTORS.join(", ")}"],
          "expires_at" => [:time?, "seconds since 1970"],
          "limit" => [:limit?, "an object with a key and a max from 1 up"],
          "rate" => [:rate?, "an object with a key, allow from 1 to #{RATE} and per seconds"],
          "fair" => [:fair?, "an object with a key and a weight from 0.001 to 1000"],
          "unique" => [:unique?, "an object with a key and until: one of #{ENDS.join(", ")}"],
          "batch" => [:name?, "the id of a batch"],
          "flow" => [:flow?, "an object with a class"],
          "workflow" => [:workflow?, "an object with an id and a node"],
          "encrypt" => [:arguments?, "true, false or a list of positions from 0 up"],
          "redact" => [:arguments?, "true, false or a list of positions from 0 up"],
          "crashes" => [:count?, "a whole number from 0 up"]
        }.freeze
        ::Ractor.make_shareable(RULES) if defined?(::Ractor)

        class << self
          # Says why fields under "raffia" are invalid; nil: they are valid.
          def complaint(own)
            own&.each do |name, value|
              rule, wanted = RULES[name]
              unless rule.nil? || value.nil? || send(rule, value)
                return "#{OWN}.#{name} must be #{wanted}, and is #{value.inspect[0, 100]}"
              end
            end
            nil
          end

          # Raises {BadPayload} for a job that must not run.
          def check(item)
            found = complaint(item[OWN])
            unless item["class"].is_a?(String)
              found ||= "class must be a name, and is #{item["class"].inspect[0, 100]}"
            end
            unless item["args"].nil? || item["args"].is_a?(Array)
              found ||= "args must be an array, and are #{item["args"].inspect[0, 100]}"
            end
            raise BadPayload, found if found
          end

          private

          def priority?(value) = value.is_a?(Integer) && value.abs < PRIORITIES

          def time?(value) = value.is_a?(Numeric) && value.to_f.finite?

          def positive?(value) = time?(value) && value.positive?

          def executor?(value) = EXECUTORS.include?(value)

          def name?(value) = value.is_a?(String)

          def workflow?(value)
            value.is_a?(Hash) && name?(value["id"]) && name?(value["node"])
          end

          def count?(value) = value.is_a?(Integer) && !value.negative?

          def arguments?(value)
            value == true || value == false || (value.is_a?(Array) && value.all? { count?(_1) })
          end

          def limit?(value)
            value.is_a?(Hash) && name?(value["key"]) && count?(value["max"]) &&
              value["max"].positive?
          end

          def flow?(value) = value.is_a?(Hash) && name?(value["class"])

          def rate?(value)
            value.is_a?(Hash) && name?(value["key"]) && amount?(value["allow"]) &&
              positive?(value["per"]) && STYLES.include?(value["style"]) &&
              %w[burst cost].all? { |field| value[field].nil? || amount?(value[field]) }
          end

          def amount?(value) = value.is_a?(Integer) && value.between?(1, RATE)

          def fair?(value)
            value.is_a?(Hash) && name?(value["key"]) &&
              (value["weight"].nil? || (time?(value["weight"]) && WEIGHTS.cover?(value["weight"])))
          end

          def unique?(value)
            value.is_a?(Hash) && name?(value["key"]) && ENDS.include?(value["until"]) &&
              CONFLICTS.include?(value["conflict"]) &&
              (value["for"].nil? || positive?(value["for"]))
          end
        end
      end
    end
  end
end
