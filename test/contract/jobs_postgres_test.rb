# frozen_string_literal: true

require_relative "jobs_store_contract"
require "support/jobs_postgres"

class JobsPostgresTest < Raffia::TestCase
  include JobsStoreContract
  include JobsStoreContract::Shared
  include TestSupport::JobsPostgres

  def open_store = Raffia::Jobs::Store.open(address)
end
