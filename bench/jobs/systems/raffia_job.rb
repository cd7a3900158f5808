# frozen_string_literal: true

require "raffia/jobs"
require_relative "../work"

# Loaded by `raffia work`.
class RaffiaJob
  include Raffia::Job

  def perform(number, sent) = JobsBench::Work.call(number, sent)
end
