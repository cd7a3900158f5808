# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "api/job_record"
require_relative "api/pages"
require_relative "api/queue"
require_relative "api/job_set"
require_relative "api/job_sets"
require_relative "api/process_set"
require_relative "api/stats"
require_relative "api/work_set"

# What programs ask of jobs, queues and workers, and do to them, of any store of Raffia's. What a
# store cannot say or do raises {NotProvided}.
module Sidekiq
end
