# frozen_string_literal: true

require "test_helper"
require_relative "jobs_mapping_contract"

module Raffia
  class JobsMappingMemoryTest < TestCase
    include JobsMappingContract

    attr_reader :store

    def setup
      super
      need_cruby "fibers"
      @store = Jobs::Store.open("memory:")
      @worker = Jobs::Worker.new(@store, log: Logger.new(IO::NULL)).start
    end

    def teardown
      @worker&.stop
      super
    end

    def test_the_symbol_means_the_store_that_is_set
      Jobs.store = store
      assert_equal([1, 4], Raffia.map([1, 2], on: :jobs, &JobsMappingContract::SquareJob))
    ensure
      Jobs.store = Jobs::Store.open("memory:")
    end
  end
end
