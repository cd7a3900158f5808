# frozen_string_literal: true

module Raffia
  module Jobs
    class Explanation
      # Why a job of a queue, or a blocked one, is not claimed.
      # @api private
      class Waiting
        # Jobs that are read: of its queue, and of those that run.
        MOST = 10_000
        PAGE = 1000
        private_constant :MOST, :PAGE

        def initialize(store, entry, now)
          @store = store
          @entry = entry
          @queue = entry.queue
          @now = now
          own = entry.item[Payload::OWN]
          @own = own.is_a?(Hash) ? own : {}
        end

        def reasons
          found = [expired, suspect, paused_tenant, limit, rate]
          found.push(paused, listeners, turns) if @entry.set == :queue
          found = found.compact
          found << nothing if found.empty?
          [*found, unique].compact
        end

        private

        def reason(name, message, **data)
          {"reason" => name, "message" => message, **data.transform_keys(&:to_s).compact}
        end

        def expired
          at = @own["expires_at"]
          return unless at.is_a?(Numeric) && at <= @now

          reason("expired", "it expired #{(@now - at).round} s ago: the next claim discards it",
            expires_at: at)
        end

        def suspect
          crashes = @own["crashes"].to_i
          return unless crashes.positive?

          reason("suspect", "a worker died while it ran (#{crashes} of #{Store::CRASHES} times): " \
            "it runs alone, in a process of its own", crashes: crashes)
        end

        def limit
          key, max = @own["limit"]&.values_at("key", "max")
          return unless key && (running = running(key)).size >= max

          reason("limit", "its limit of #{max} is reached: #{running.join(", ")} " \
            "#{(running.size == 1) ? "runs" : "run"}", running: running, max: max)
        end

        # Ids of running jobs with this key of a limit.
        def running(key)
          @store.entries(:running, limit: MOST).select { |entry|
            entry.item.dig(Payload::OWN, "limit", "key") == key
          }.map(&:jid)
        end

        def rate
          rate = @own["rate"] or return
          status = @store.rate(rate["key"])
          closed = status["closed_until"].to_f > @now
          return if status.empty? || !(closed || status["tokens"].to_i < (rate["cost"] || 1))

          rule = "#{status["allow"]} in #{status["per"]} s"
          reason("rate", "its rate of #{rule} #{rate_state(status)}",
            **status.slice("allow", "per", "tokens", "opens_at", "closed_until", "blocked")
            .transform_keys(&:to_sym))
        end

        def rate_state(status)
          at = status.values_at("closed_until", "opens_at").compact.max
          how = (status["closed_until"].to_f > @now) ? "is closed" : "is used up"
          (at.to_f > @now) ? "#{how}: it opens in #{(at - @now).ceil} s" : how
        end

        def paused
          return unless @store.queues.any? { |one| one["name"] == @queue && one["paused"] }

          reason("paused", "its queue #{@queue} is paused: `raffia jobs resume #{@queue}`")
        end

        def paused_tenant
          key = @own.dig("fair", "key") or return
          tenant = @store.tenants(@queue).find { |one| one["key"] == key }
          return unless tenant&.fetch("paused")

          key = Redaction.item(@entry.item).dig(Payload::OWN, "fair", "key")
          reason("paused_tenant", "jobs of #{key} in #{@queue} are paused: " \
            "`raffia jobs resume #{@queue} --tenant #{key}`", tenant: key)
        end

        def listeners
          workers = @store.processes.reject { |one| one["tag"] == "map" }
          return reason("no_worker", "no worker runs: start `raffia work`") if workers.empty?

          ours = workers.select { |one| Array(one["queues"]).include?(@queue) }
          if ours.empty?
            queues = workers.flat_map { |one| Array(one["queues"]) }.uniq.sort
            return reason("no_listener", "no worker reads the queue #{@queue}: they read " \
              "#{queues.empty? ? "none" : queues.join(", ")}", queues: queues)
          end
          capacity(ours)
        end

        def capacity(workers)
          awake = workers.reject { |one| one["quiet"] }
          if awake.empty?
            return reason("quiet", "all workers of the queue #{@queue} were told to be quiet")
          end
          return if awake.any? { |one| one["busy"].to_i < one["concurrency"].to_i }

          reason("busy", "all workers of the queue #{@queue} are busy: " \
            "#{awake.sum { |one| one["busy"].to_i }} jobs run", workers: awake.size)
        end

        # Jobs that are claimed before it: a queue's entries are in the order of their claims.
        def turns
          before = before() or return reason("turns", "more than #{MOST} jobs are before it")
          return if before.empty?

          key = @own.dig("fair", "key")
          others = before.filter_map { |entry| entry.item.dig(Payload::OWN, "fair", "key") }
            .uniq - [key]
          turns = key ? ", of #{others.size} other keys that take turns with its own" : ""
          jobs = (before.size == 1) ? "1 job is" : "#{before.size} jobs are"
          reason("turns", "#{jobs} before it in #{@queue}#{turns}", before: before.size,
            keys: (others.size if key))
        end

        # Nil: there are too many.
        def before
          before = []
          while before.size < MOST
            page = @store.entries(:queue, queue: @queue, offset: before.size, limit: PAGE)
            place = page.index { |entry| entry.jid == @entry.jid }
            return before.concat(page.first(place || page.size)) if place || page.size < PAGE

            before.concat(page)
          end
        end

        def nothing
          if @entry.set == :blocked
            return reason("blocked", "what it waited for has ended: it goes back to its queue soon")
          end

          reason("next", "nothing holds it up: a worker of its queue is free, and claims it next")
        end

        def unique
          unique = @own["unique"] or return
          reason("unique", "no other job like it is accepted until it " \
            "#{(unique["until"] == "start") ? "starts" : "is done"}", until: unique["until"])
        end
      end
    end
  end
end
