# frozen_string_literal: true

# A job with a limit for each of some keys. A job over it is retried later.
class RailsLimitedJob < RailsJob
  include GoodJob::ActiveJobExtensions::Concurrency

  good_job_concurrency_rule(perform_limit: JobsBench::Systems::System::LIMIT, apply_label: true,
    label: -> { "key-#{arguments.first % JobsBench::Systems::System::KEYS}" })
end

# A job with a rate for each of some keys that is never reached.
class RailsRatedJob < RailsJob
  include GoodJob::ActiveJobExtensions::Concurrency

  good_job_concurrency_rule(perform_throttle: [10_000, 60.seconds], apply_label: true,
    label: -> { "key-#{arguments.first % JobsBench::Systems::System::KEYS}" })
end
