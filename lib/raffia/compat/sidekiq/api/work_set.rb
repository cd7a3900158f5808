# frozen_string_literal: true

require_relative "job_record"

module Sidekiq
  # Running jobs as of the last heartbeats, which come every five seconds.
  class WorkSet
    include Enumerable

    # Yields the worker's identity, the run's id and the {Work}, the longest running first.
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

    def size = Raffia::Jobs.store.processes.sum { |process| process["busy"].to_i }

    def find_work(jid) = map { |_, _, work| work }.find { |work| work.job.jid == jid }
    alias_method :find_work_by_jid, :find_work
  end

  Workers = WorkSet

  # A running job.
  class Work
    # Identity of the worker, and id of the run.
    attr_reader :process_id, :thread_id

    def initialize(process_id, thread_id, data)
      @process_id = process_id
      @thread_id = thread_id
      @data = data
    end

    def queue = @data["queue"]

    def run_at = Time.at(@data["run_at"])

    def payload = @data["payload"]

    def job = @job ||= JobRecord.new(payload, queue)
  end
end
