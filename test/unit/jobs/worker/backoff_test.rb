# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerBackoffTest < TestSupport::JobsCase
  def test_backoff
    calls = 0
    backoff = Worker::Backoff.new(@log)
    value = Raffia.run do
      backoff.attempt { ((calls += 1) < 3) ? raise(Jobs::StoreUnavailable, "away") : :answer }
    end
    assert_equal [:answer, 3], [value, calls]
    assert_equal [1, 1], [logged("store unavailable").size, logged("store available").size]
    assert_nil Raffia.run { backoff.attempt(-> { true }) { raise Jobs::StoreUnavailable, "away" } }
  end
end
