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

# Inspection and administration of jobs, queues and workers in any of Raffia's stores. Operations
# that a store does not have raise {NotProvided}.
module Sidekiq
end
