# frozen_string_literal: true

require_relative "../sidekiq"

module Sidekiq
  # What other gems read of Sidekiq's retries. Raffia's are the same.
  module JobRetry
    # Of a job that says `retry: true`.
    DEFAULT_MAX_RETRY_ATTEMPTS = 25
  end
end
