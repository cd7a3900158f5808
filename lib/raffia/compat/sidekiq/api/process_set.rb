# frozen_string_literal: true

module Sidekiq
  # Live workers.
  class ProcessSet
    include Enumerable

    def self.[](identity) = new.find { |process| process.identity == identity }

    # +_clean+ has no effect, because dead workers are not listed.
    def initialize(_clean = true)
    end

    # Sorted by identity.
    def each(&)
      return to_enum unless block_given?

      Raffia::Jobs.store.processes.sort_by { |process| process["identity"] }
        .each { |process| yield Sidekiq::Process.new(process) }
    end

    def size = Raffia::Jobs.store.processes.size

    def total_concurrency = sum { |process| process["concurrency"].to_i }

    def total_rss_in_kb = sum { |process| process["rss"].to_i }
    alias_method :total_rss, :total_rss_in_kb

    # Empty: no process leads.
    def leader = ""

    def cleanup = 0
  end

  # A worker with the fields "hostname", "pid", "tag", "concurrency", "busy", "beat", "rss",
  # "started_at" and others.
  class Process
    def initialize(data)
      @data = {**data, "quiet" => data["quiet"].to_s}
    end

    def [](name) = @data[name]

    def identity = self["identity"]
    alias_method :id, :identity

    def tag = self["tag"]

    def labels = self["labels"].to_a

    def version = self["version"]

    def queues = capsules.values.flat_map { |capsule| capsule["weights"].keys }.uniq

    # Weights by queue, 0 where the order of queues is fixed.
    def weights = capsules.values.map { |capsule| capsule["weights"] }.reduce({}, :merge)

    # Each worker has one.
    def capsules
      self["capsules"] ||
        {"default" => {"concurrency" => self["concurrency"], "mode" => mode,
                       "weights" => own_weights}}
    end

    def embedded? = !!self["embedded"]

    # Whether it claims no more jobs.
    def stopping? = self["quiet"] == "true"

    def leader? = false

    # Commands, executed at the worker's next heartbeat. They return whether the worker exists.
    def quiet! = order("quiet")

    def stop! = order("stop")

    # Logs the operations that its jobs wait for.
    def dump_threads = order("dump")

    private

    def order(word) = Raffia::Jobs.store.order(identity, word)

    def own_weights = Array(self["queues"]).to_h { |name| [name, 0] }.merge(self["weights"].to_h)

    def mode = (self["weights"].nil? || self["weights"].empty?) ? "strict" : "weighted"
  end
end
