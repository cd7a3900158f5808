# frozen_string_literal: true

require_relative "metrics"
require_relative "retry_policy"
require_relative "run_counts"

module Raffia
  module Jobs
    class Worker
      # Reports runs: emits the events job_start, job_done and job_fail, counts, and logs. Lines
      # about finished jobs are written in batches, because one write each would cost more than the
      # jobs. Other loggers than ours get them one by one.
      # @api private
      class JobLogger
        # Bytes after which buffered lines are written.
        BUFFER = 65_536
        private_constant :BUFFER

        attr_reader :metrics, :counts, :log

        def initialize(log, instrument)
          @log = log
          @instrument = instrument
          @metrics = Metrics.new
          @counts = RunCounts.new
          @info = log.info?
          @formatter = log.formatter if buffers?(log)
          @buffer = +""
        end

        def started(run)
          item = run.item
          due = Payload.time(item["enqueued_at"] || item["created_at"])
          count_wait(run.queue, due) if due
          @instrument.emit(:job_start) { run.facts }
          @log.debug({event: "start", **run.facts}) if @info && @log.debug?
        end

        def done(run, seconds)
          @metrics.count(run.name, seconds)
          @counts.done(run.queue, run.name, seconds)
          @instrument.emit(:job_done) { {**run.facts, seconds: seconds} }
          add({event: "done", **run.facts, seconds: seconds.round(6)}) if @info
        end

        def flush
          return if @buffer.empty?

          text = @buffer
          @buffer = +""
          @log << text
        end

        def failed(run, seconds, error, policy)
          flush
          @metrics.count(run.name, nil, policy.verdict)
          count_failure(run, policy.outcome)
          @instrument.emit(:job_fail) do
            {**run.facts, seconds: seconds, error: error, verdict: policy.verdict}
          end
          line = {event: "failed", **run.facts, seconds: seconds.round(6),
                  error_class: error.class.name,
                  error: Redaction.message(run.item, error, RetryPolicy.message(error)[0, 500]),
                  then: policy.verdict,
                  at: error.backtrace&.first}
          line[:in] = (policy.at - Time.now.to_f).round(1) if policy.at
          (policy.verdict == :retry) ? @log.warn(line) : @log.error(line)
        end

        def ended(run, event, **more)
          flush
          @log.warn({event: event, **run.facts, **more})
        end

        private

        def count_wait(queue, due)
          waited = ::Process.clock_gettime(::Process::CLOCK_REALTIME) - due
          @counts.waited(queue, waited.positive? ? waited : 0.0)
        end

        def count_failure(run, verdict)
          @counts.count("failed", run.queue, run.name, verdict.name)
          return unless verdict == :dead

          @counts.count("dead", run.queue, run.name, run.readable? ? "failure" : "unreadable")
        end

        def buffers?(log)
          defined?(::Logger) && log.instance_of?(::Logger) &&
            [Log::Text, Log::Json].include?(log.formatter.class)
        end

        def add(facts)
          return @log.info(facts) unless @formatter

          @buffer << @formatter.call("INFO", Time.now, @log.progname, facts)
          flush if @buffer.bytesize > BUFFER
        end
      end
    end
  end
end
