# frozen_string_literal: true

require_relative "../../base/instrument"
require_relative "book"
require_relative "failure"
require_relative "lines"

module Raffia
  module Jobs
    class Worker
      # Tells of runs: to whoever has subscribed to the events job_start, job_done and job_fail, to
      # the log, and to the counts.
      #
      # @api private
      class Journal
        # @return [Book]
        attr_reader :book
        # @return [Logger]
        attr_reader :log

        # @param log [Logger]
        # @param instrument [Instrument]
        def initialize(log, instrument)
          @log = log
          @instrument = instrument
          @book = Book.new
          @talks = log.info?
          @lines = Lines.new(log)
        end

        # @param run [Run]
        # @return [void]
        def began(run)
          @instrument.emit(:job_start) { run.facts }
          @log.debug({event: "start", **run.facts}) if @talks && @log.debug?
        end

        # @return [void]
        def done(run, seconds)
          @book.count(run.name, seconds)
          @instrument.emit(:job_done) { {**run.facts, seconds: seconds} }
          @lines.add({event: "done", **run.facts, seconds: seconds.round(6)}) if @talks
        end

        # Writes what it has kept.
        # @return [void]
        def flush = @lines.flush

        # @param failure [Failure]
        # @return [void]
        def failed(run, seconds, error, failure)
          flush
          @book.count(run.name, nil, failure.verdict)
          @instrument.emit(:job_fail) do
            {**run.facts, seconds: seconds, error: error, verdict: failure.verdict}
          end
          line = {event: "failed", **run.facts, seconds: seconds.round(6),
                  error_class: error.class.name, error: Failure.message(error)[0, 500],
                  then: failure.verdict, at: error.backtrace&.first}
          line[:in] = (failure.at - Time.now.to_f).round(1) if failure.at
          (failure.verdict == :retry) ? @log.warn(line) : @log.error(line)
        end

        # It has not come to its end, and nobody says that it has failed.
        # @param how [String]
        # @return [void]
        def ended(run, how)
          flush
          @log.warn({event: how, **run.facts})
        end
      end
    end
  end
end
