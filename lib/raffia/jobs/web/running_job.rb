# frozen_string_literal: true

require_relative "../entry"
require_relative "job_presenter"

module Raffia
  module Jobs
    class Web
      # A running job: its worker's report in {Store#beat}, and the worker.
      # @api private
      RunningJob = Data.define(:work, :process) do
        # Running jobs of {Store#processes}, the longest first.
        def self.of(processes)
          processes.flat_map { |process|
            Array(process["work"]).grep(Hash)
              .map { |work| new(work:, process:) }
          }.sort_by(&:since)
        end

        def since = Payload.time(work["run_at"]).to_f

        def job
          payload = work["payload"]
          unless payload.is_a?(String)
            known = payload.is_a?(Hash) ? payload : {"jid" => work["jid"], "class" => work["class"]}
            payload = JSON.generate(known)
          end
          JobPresenter.new(Entry.new(set: :running, queue: work["queue"], payload:,
            at: since,
            ref: nil))
        end

        def jid = work["jid"] || job.jid

        # From 0 to 1, nil when the job reports none.
        def progress = (work["progress"].to_f.clamp(0.0, 1.0) if work["progress"].is_a?(Numeric))

        def identity = process["identity"].to_s

        # Nil unless the worker was asked to trace the job.
        def backtrace = (work["backtrace"].map(&:to_s) if work["backtrace"].is_a?(Array))
      end
    end
  end
end
