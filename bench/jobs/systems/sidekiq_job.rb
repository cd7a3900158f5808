# frozen_string_literal: true

require "sidekiq"
require_relative "../work"

# Loaded by `sidekiq`.
class SidekiqJob
  include Sidekiq::Job

  def perform(number, sent) = JobsBench::Work.call(number, sent)
end
