# frozen_string_literal: true

require_relative "../../../jobs"

module Sidekiq
  # Live workers.
  class ProcessSet
    include Enumerable

    # @param identity [String]
    # @return [Process, nil]
    def self.[](identity) = new.find { |process| process.identity == identity }

    # @param _clean [Boolean] for Sidekiq; dead workers are not listed here
    def initialize(_clean = true)
    end

    # @yieldparam process [Process] by identity
    # @return [void]
    def each(&)
      return to_enum unless block_given?

      Raffia::Jobs.store.processes.sort_by { |process| process["identity"] }
        .each { |process| yield Sidekiq::Process.new(process) }
    end

    # @return [Integer]
    def size = Raffia::Jobs.store.processes.size

    # @return [Integer] jobs that can run at a time
    def total_concurrency = sum { |process| process["concurrency"].to_i }

    # @return [Integer] KiB
    def total_rss_in_kb = sum { |process| process["rss"].to_i }
    alias_method :total_rss, :total_rss_in_kb

    # @return [String] "": there is none
    def leader = ""

    # @return [Integer] 0
    def cleanup = 0
  end

  # A worker. Its fields: "hostname", "pid", "tag", "concurrency", "busy", "beat", "rss",
  # "started_at", ...
  class Process
    # @param facts [Hash] see {Raffia::Jobs::Store#processes}
    def initialize(facts)
      @facts = {**facts, "quiet" => facts["quiet"].to_s}
    end

    # @return [Object, nil]
    def [](name) = @facts[name]

    # @return [String]
    def identity = self["identity"]
    alias_method :id, :identity

    # @return [String]
    def tag = self["tag"]

    # @return [Array<String>]
    def labels = self["labels"].to_a

    # @return [String]
    def version = self["version"]

    # @return [Array<String>]
    def queues = capsules.values.flat_map { |capsule| capsule["weights"].keys }.uniq

    # @return [Hash{String => Integer}] 0 if the order is fixed
    def weights = capsules.values.map { |capsule| capsule["weights"] }.reduce({}, :merge)

    # @return [Hash{String => Hash}] one of each worker
    def capsules
      self["capsules"] ||
        {"default" => {"concurrency" => self["concurrency"], "mode" => mode,
                       "weights" => own_weights}}
    end

    # @return [Boolean]
    def embedded? = !!self["embedded"]

    # @return [Boolean] whether it claims no more jobs
    def stopping? = self["quiet"] == "true"

    # @return [Boolean] false
    def leader? = false

    # Makes it claim no more jobs, with its next heartbeat.
    # @return [Boolean] whether there is such a worker
    def quiet! = order("quiet")

    # Makes it stop, with its next heartbeat.
    # @return [Boolean]
    def stop! = order("stop")

    # Makes it log what its jobs wait for, with its next heartbeat.
    # @return [Boolean]
    def dump_threads = order("dump")

    private

    def order(word) = Raffia::Jobs.store.order(identity, word)

    def own_weights = Array(self["queues"]).to_h { |name| [name, 0] }.merge(self["weights"].to_h)

    def mode = (self["weights"].nil? || self["weights"].empty?) ? "strict" : "weighted"
  end
end
