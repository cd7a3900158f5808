# frozen_string_literal: true

# A job with a limit for each of some keys. A job over it waits until another one ends.
class RailsLimitedJob < RailsJob
  limits_concurrency to: JobsBench::Systems::System::LIMIT,
    key: ->(number, _) { number % JobsBench::Systems::System::KEYS }
end
