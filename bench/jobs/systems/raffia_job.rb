# frozen_string_literal: true

require "raffia/jobs"
require_relative "../work"
require_relative "system"

# Loaded by `raffia work`.
class RaffiaJob
  include Raffia::Job

  def perform(number, sent) = JobsBench::Work.call(number, sent)
end

# Has a limit for each of some keys.
class RaffiaLimitedJob < RaffiaJob
  options limit: JobsBench::Systems::System::LIMIT,
    limit_key: ->(number, _) { number % JobsBench::Systems::System::KEYS }
end

# Has a rate for each of some keys that is never reached.
class RaffiaRatedJob < RaffiaJob
  options rate: 10_000, per: 60,
    rate_key: ->(number, _) { number % JobsBench::Systems::System::KEYS }
end

# Takes turns with other tenants' jobs.
class RaffiaFairJob
  include Raffia::Job

  options fair_by: ->(tenant, *) { tenant }

  def perform(_tenant, number, sent) = JobsBench::Work.call(number, sent)
end

# Steps one after the other.
class RaffiaFlow
  include Raffia::Workflow

  def build(first)
    JobsBench::Systems::System::STEPS.times do |step|
      job :"step#{step}", RaffiaJob, first + step, nil,
        **(step.zero? ? {} : {after: :"step#{step - 1}"})
    end
  end
end

# Records each of its steps.
class RaffiaFunction
  include Raffia::Durable

  def call(first)
    JobsBench::Systems::System::STEPS.times do |number|
      step(:work, number) { JobsBench::Work.call(first + number) && nil }
    end
    nil
  end
end
