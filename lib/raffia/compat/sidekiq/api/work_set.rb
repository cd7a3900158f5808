# frozen_string_literal: true

require_relative "job_record"

module Sidekiq
  # Running jobs, by the last heartbeats: each five seconds.
  class WorkSet
    include Enumerable

    # @yieldparam identity [String] of the worker
    # @yieldparam tid [String] of the run
    # @yieldparam work [Work] longest first
    # @return [void]
    def each(&)
      return to_enum unless block_given?

      found = Raffia::Jobs.store.processes.flat_map do |process|
        Array(process["work"]).grep(Hash)
          .map do |work|
            [process["identity"], work["tid"], Work.new(process["identity"], work["tid"], work)]
          end
      end
      found.sort_by { |_, _, work| work.run_at }.each(&)
    end

    # @return [Integer]
    def size = Raffia::Jobs.store.processes.sum { |process| process["busy"].to_i }

    # @param jid [String]
    # @return [Work, nil]
    def find_work(jid) = map { |_, _, work| work }.find { |work| work.job.jid == jid }
    alias_method :find_work_by_jid, :find_work
  end

  # The older name.
  Workers = WorkSet

  # A running job.
  class Work
    # @return [String] the worker's identity
    attr_reader :process_id
    # @return [String] of the run
    attr_reader :thread_id

    # @param facts [Hash] see {Raffia::Jobs::Store#beat}
    def initialize(process_id, thread_id, facts)
      @process_id = process_id
      @thread_id = thread_id
      @facts = facts
    end

    # @return [String]
    def queue = @facts["queue"]

    # @return [Time]
    def run_at = Time.at(@facts["run_at"])

    # @return [String, Hash]
    def payload = @facts["payload"]

    # @return [JobRecord]
    def job = @job ||= JobRecord.new(payload, queue)
  end
end
