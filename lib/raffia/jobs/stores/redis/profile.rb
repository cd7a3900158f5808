# frozen_string_literal: true

require "json"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # A worker in Sidekiq's words.
        module Profile
          module_function

          # @param info [Hash] see {Store#enroll}
          # @return [Hash] what goes into `info`. Where the number of jobs at a time stands depends
          #   on the version of the Web, so it stands in both places
          def facts(identity, info)
            queues = Array(info["queues"]).uniq
            weights = queues.to_h { |name| [name, 0] }.merge(info["weights"].to_h)
            concurrency = info["concurrency"].to_i
            {
              "hostname" => "", "started_at" => Time.now.to_f, "pid" => 0, "tag" => "",
              "labels" => [], "version" => "", **info,
              "queues" => queues, "weights" => [weights], "concurrency" => concurrency,
              "identity" => identity, "embedded" => false,
              "capsules" => {"default" => {"concurrency" => concurrency, "mode" => mode(weights),
                                           "weights" => weights}}, "raffia" => true
            }
          end

          # @param state [Hash] see {Store#beat}
          # @return [Array<String>] fields and values of `:work`
          def work(state)
            Array(state["work"]).each_with_index.flat_map do |job, index|
              [(job["tid"] || "raffia-#{index}").to_s,
                JSON.generate({"run_at" => Time.now.to_i, **job, "queue" => job["queue"],
                  "payload" => job["payload"]})]
            end
          end

          # In the given order, each as often as any other, or some more often.
          def mode(weights)
            case weights.values.uniq
            when [0] then "strict"
            when [1] then "random"
            else "weighted"
            end
          end
        end
      end
    end
  end
end
