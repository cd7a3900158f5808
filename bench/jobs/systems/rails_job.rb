# frozen_string_literal: true

# An Active Job, which every adapter can do.
class RailsJob < ActiveJob::Base
  def perform(number, sent) = JobsBench::Work.call(number, sent)
end
