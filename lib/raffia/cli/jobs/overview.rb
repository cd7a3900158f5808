# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows counts, queues and workers.
      class Overview < Subcommand
        def stats
          counts = store.counts
          days = store.history(7)
          answer({"store" => store.url, **counts.transform_keys(&:to_s), "days" => days}) do
            [store.url, "", *table(counts.map { |name, count| [name.to_s, count] }), *history(days)]
          end
        end

        def queues
          queues = store.queues
          answer(queues) do
            next "There are no queues." if queues.empty?
            rows = queues.map do |queue|
              [queue["name"], queue["size"], queue["latency"].to_f.round(1),
                queue["paused"] ? "paused" : ""]
            end
            table([["queue", "jobs", "latency/s", ""], *rows])
          end
        end

        def processes
          processes = store.processes
          answer(processes) do
            processes.empty? ? "There are no workers." : processes.flat_map { |one| lines(one) }
          end
        end

        # Returns {FAILED} when there is a problem.
        def check
          found = store.check
          answer({"store" => store.url, "problems" => found}) do
            found.empty? ? "#{store.url}: nothing is wrong" : found
          end
          found.empty? ? OK : FAILED
        end

        private

        def history(days)
          return [] if days.empty?
          rows = days.map { |day, count| [day, count["processed"], count["failed"]] }
          ["", *table([["day", "processed", "failed"], *rows])]
        end

        def lines(process)
          about = [process["busy"].to_i, "of", process["concurrency"], "busy",
            ("quiet" if process["quiet"]), "queues #{Array(process["queues"]).join(" ")}"]
          work = Array(process["work"]).map do |run|
            "    #{run["jid"]}  #{run["class"] || class_name(run["payload"])}  since " \
              "#{time(run["run_at"])}"
          end
          ["#{process["identity"]}  #{about.compact.join(" ")}", *work].map do |line|
            Text.plain(line)
          end
        end

        def class_name(payload)
          payload && Raffia::Jobs::Payload.class_name(Raffia::Jobs::Payload.load(payload))
        end
      end
    end
  end
end
