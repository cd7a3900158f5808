# frozen_string_literal: true

require "fileutils"
require_relative "../work"
require_relative "gush"

JobsBench::Systems::Gush.without_bundler(ENV.fetch("JOBS_BENCH_FOLDER"))
require "active_job"
require "sidekiq"
require "active_job/queue_adapters/sidekiq_adapter"
require "gush"

ActiveJob::Base.queue_adapter = :sidekiq
ActiveJob::Base.logger = nil
Gush.configure { |config| config.redis_url = ENV.fetch("REDIS_URL") }

# A step.
class GushStep < Gush::Job
  def perform = JobsBench::Work.call(params.fetch(:number))
end

# Steps one after the other.
class GushFlow < Gush::Workflow
  def configure(first)
    before = nil
    JobsBench::Systems::System::STEPS.times do |number|
      before = run(GushStep, params: {number: first + number}, after: before || [])
    end
  end
end
