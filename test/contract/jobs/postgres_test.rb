# frozen_string_literal: true

require_relative "store_contract"
require "support/jobs_postgres"

class JobsPostgresTest < Raffia::TestCase
  include JobsStoreContract
  include JobsStoreContract::Flows
  include JobsStoreContract::FlowWaits
  include JobsStoreContract::FlowEnds
  include JobsStoreContract::Workflows
  include JobsStoreContract::WorkflowChanges
  include JobsStoreContract::WorkflowEnds
  include JobsStoreContract::Shared
  include TestSupport::JobsPostgres

  def open_store = Raffia::Jobs::Store.open(address)

  # The server finishes the statement of a dead worker, and commits it after the report of the
  # death.
  def test_a_claim_that_is_committed_after_the_death_is_not_charged
    enqueue(1)
    payload = store.entries(:queue).first.payload
    late = connection(options: "-c search_path=#{@schema}")
    late.exec("BEGIN")
    late.exec_params("UPDATE jobs SET state = 'running', token = $1", [lease.token])
    assert_empty(store.report_death(lease, []))
    late.exec("COMMIT")
    assert_places(running: 1)
    assert_equal([0], store.recover.map(&:crashes))
    assert_equal([payload], store.entries(:queue).map(&:payload))
    refute(store.suspects?(%w[default]))
  end
end
