# frozen_string_literal: true

require_relative "store/case"
Dir[File.join(__dir__, "store", "*.rb")].sort.each { |file| require file }

# What lib/raffia/jobs/store.rb promises, of whatever store. A store's test includes this, or, while
# it is being built, only some of its groups, and says what it is (see {Case}):
#
#     class JobsSQLiteTest < Raffia::TestCase
#       include JobsStoreContract           # or some of its groups: include JobsStoreContract::Enqueue, JobsStoreContract::Claims
#       include JobsStoreContract::Shared   # where other handles and processes see the same jobs
#
#       def open_store = Raffia::Jobs::Store.open("sqlite:#{@path ||= ...}")
#     end
module JobsStoreContract
  include Enqueue
  include OddFields
  include Claims
  include Ends
  include Leases
  include Deaths
  include Schedule
  include Waiting
  include Unique
  include Limit
  include Batches
  include DeadInBatches
  include NestedBatches
  include BatchesOfJobs
  include Values
  include Looking
  include Operating
  include Upkeep
  include Model
  include Storm
end
