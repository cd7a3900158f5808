# frozen_string_literal: true

require_relative "store_contract"
require "support/jobs_mysql"

class JobsMySQLTest < Raffia::TestCase
  include JobsStoreContract
  include JobsStoreContract::Flows
  include JobsStoreContract::FlowWaits
  include JobsStoreContract::FlowEnds
  include JobsStoreContract::Workflows
  include JobsStoreContract::WorkflowChanges
  include JobsStoreContract::WorkflowEnds
  include JobsStoreContract::Shared
  include TestSupport::JobsMySQL

  def open_store = Raffia::Jobs::Store.open(address)
end
