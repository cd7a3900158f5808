# frozen_string_literal: true

module DeadlocksBench
  # Does nothing.
  class PlainJob < ActiveJob::Base
    def perform(*)
    end
  end

  # Five at a time for a shop.
  class LimitedJob < ActiveJob::Base
    limits_concurrency to: 5, key: ->(shop) { shop }

    def perform(*)
    end
  end
end
