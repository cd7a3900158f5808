# frozen_string_literal: true

require_relative "store/case"
Dir[File.join(__dir__, "store", "*.rb")].sort.each { |file| require file }

# The contract of lib/raffia/jobs/store.rb, a module for each group of operations. The test of a
# store includes all of them, or some while the store is being built, and opens it (see {Case}):
#
#     class JobsSQLiteTest < Raffia::TestCase
#       include JobsStoreContract           # or a group: include JobsStoreContract::Enqueue
#       include JobsStoreContract::Shared   # when processes share the store
#
#       def open_store = Raffia::Jobs::Store.open("sqlite:#{@path ||= ...}")
#     end
module JobsStoreContract
  include Groups
  include Enqueue
  include OddFields
  include Claims
  include Completion
  include Leases
  include Recovery
  include Schedule
  include Notifier
  include Uniqueness
  include Limits
  include Rates
  include Fairness
  include Batches
  include BatchesWithDeadJobs
  include BatchesInBatches
  include BatchesOfJobs
  include KeyValues
  include Inspection
  include Administration
  include Explanations
  include Maintenance
  include Monitoring
  include Statistics
  include Model
  include Storm
end
