# frozen_string_literal: true

# An Active Job, which every adapter can do.
class RailsJob < ActiveJob::Base
  def perform(number, sent) = JobsBench::Work.call(number, sent)
end

# Runs steps by Active Job's own continuation, which is saved when the job is interrupted.
class RailsContinuedJob < ActiveJob::Base
  include ActiveJob::Continuable

  def perform(first, _sent)
    JobsBench::Systems::System::STEPS.times do |number|
      step(:"step#{number}") { JobsBench::Work.call(first + number) }
    end
  end
end
