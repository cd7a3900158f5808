# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # Commands that show counts, queues and workers.
      # @api private
      class Overview
        def initialize(context)
          @context = context
          @store = context.store
        end

        def stats
          counts = @store.counts
          days = @store.history(7)
          @context.answer({"store" => @store.url, **counts.transform_keys(&:to_s),
            "days" => days}) do
            [@store.url, "", *@context.table(counts.map { |name, count| [name.to_s, count] }),
              *history(days)]
          end
        end

        def queues
          queues = @store.queues
          @context.answer(queues) do
            rows = queues.map do |queue|
              [queue["name"], queue["size"], queue["latency"].to_f.round(1),
                queue["paused"] ? "paused" : ""]
            end
            if queues.empty?
              "There are no queues."
            else
              @context.table([["queue", "jobs", "latency/s", ""], *rows])
            end
          end
        end

        def processes
          processes = @store.processes
          @context.answer(processes) do
            processes.empty? ? "There are no workers." : processes.flat_map { |one| lines(one) }
          end
        end

        # {FAILED} when there is a problem.
        def check
          found = @store.check
          @context.answer({"store" => @store.url, "problems" => found}) do
            found.empty? ? "#{@store.url}: nothing is wrong" : found
          end
          found.empty? ? OK : FAILED
        end

        private

        def history(days)
          return [] if days.empty?

          ["",
            *@context.table([["day", "processed", "failed"],
              *days.map { |day, count| [day, count["processed"], count["failed"]] }])]
        end

        def lines(process)
          about = [process["busy"].to_i, "of", process["concurrency"], "busy",
            ("quiet" if process["quiet"]), "queues #{Array(process["queues"]).join(" ")}"]
          work = Array(process["work"]).map do |run|
            "    #{run["jid"]}  #{run["class"] || klass(run["payload"])}  since " \
              "#{@context.time(run["run_at"])}"
          end
          ["#{process["identity"]}  #{about.compact.join(" ")}", *work].map do |line|
            Text.plain(line)
          end
        end

        def klass(payload)
          payload && Raffia::Jobs::Payload.class_name(Raffia::Jobs::Payload.load(payload))
        end
      end
    end
  end
end
