# frozen_string_literal: true

require "tmpdir"
require_relative "store_contract"

class JobsSQLiteTest < Raffia::TestCase
  include JobsStoreContract
  include JobsStoreContract::Flows
  include JobsStoreContract::FlowWaits
  include JobsStoreContract::FlowEnds
  include JobsStoreContract::Workflows
  include JobsStoreContract::WorkflowChanges
  include JobsStoreContract::WorkflowEnds
  include JobsStoreContract::Shared

  def setup
    @dir = Dir.mktmpdir("raffia-jobs") # the suite opens the store
    super
  end

  def teardown
    super
    FileUtils.rm_rf(@dir)
  end

  def open_store = Raffia::Jobs::Store.open("sqlite:#{@dir}/jobs.db")
end
