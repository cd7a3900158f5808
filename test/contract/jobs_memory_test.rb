# frozen_string_literal: true

require_relative "jobs_store_contract"

class JobsMemoryTest < Raffia::TestCase
  include JobsStoreContract

  def open_store = Raffia::Jobs::Store.open("memory:")
end
