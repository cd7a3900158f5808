# frozen_string_literal: true

module Raffia
  module Integrations
    module Rails
      # Passes failures of jobs to Rails' error reporter, see {Jobs.on_error}. A failure that is
      # tried again is handled. Rails itself leaves out an error that Active Job has reported.
      #
      # @api private
      module ErrorReport
        SOURCE = "raffia.jobs"

        def self.call(error, job, verdict)
          handled = verdict == :retry
          ::Rails.error.report(error, handled: handled, severity: handled ? :warning : :error,
            source: SOURCE, context: {jid: job["jid"], job: job["wrapped"] || job["class"],
                                      queue: job["queue"], verdict: verdict})
        end
      end
    end
  end
end
