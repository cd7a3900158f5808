# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Converts a worker to Sidekiq's process hashes and back.
        # @api private
        module SidekiqProcess
          DEFAULTS = {
            "hostname" => "", "pid" => 0, "tag" => "", "labels" => [].freeze, "version" => ""
          }.freeze

          module_function

          # The field `info`. Versions of Sidekiq's Web read the concurrency at different places.
          def info(identity, info)
            queues = Array(info["queues"]).uniq
            weights = queues.to_h { |name| [name, 0] }.merge(info["weights"].to_h)
            concurrency = info["concurrency"].to_i
            capsule = {"concurrency" => concurrency, "mode" => mode(weights), "weights" => weights}
            {**DEFAULTS, "started_at" => Time.now.to_f, **info}.merge(
              "queues" => queues, "weights" => [weights], "concurrency" => concurrency,
              "identity" => identity, "embedded" => false, "capsules" => {"default" => capsule},
              "raffia" => true
            )
          end

          # Fields and values of the process.
          def state(state)
            ["busy", state["busy"] || state["work"]&.size || 0, "beat", Time.now.to_f,
              "quiet", (state["quiet"] || false).to_s, "rss", state["rss"] || 0, "rtt_us", 0]
          end

          # Fields and values of `:work`.
          def work(state)
            Array(state["work"]).each_with_index.flat_map do |job, index|
              field = (job["tid"] || "raffia-#{index}").to_s
              [field, JSON.generate({"run_at" => Time.now.to_i, **job,
                "queue" => job["queue"], "payload" => job["payload"]})]
            end
          end

          def read(pipeline, identity)
            pipeline.call("HGETALL", identity)
            pipeline.call("HGETALL", "#{identity}:work")
          end

          def to_h(identity, hash, work)
            info = JSON.parse(hash["info"])
            info.except("raffia").merge(
              "identity" => identity, "beat" => hash["beat"].to_f, "lease" => hash["raffia"]&.to_i,
              "busy" => hash["busy"].to_i, "quiet" => hash["quiet"] == "true",
              "rss" => hash["rss"].to_i,
              "work" => work.map { |tid, job| {**JSON.parse(job), "tid" => tid} },
              "concurrency" => (hash["concurrency"] || info["concurrency"]).to_i
            )
          end

          # How Sidekiq's Web names it.
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
