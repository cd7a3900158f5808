# frozen_string_literal: true

require "test_helper"
require_relative "mapping_contract"

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

    # The state of a chunk after its workers died again and again.
    def test_a_chunk_that_is_dead
      call = Thread.new do
        Raffia.map([1], on: Jobs.workers(store: store,
          queue: "deserted"), &JobsMappingContract::SquareJob)
      end
      call.report_on_exception = false
      wait_until { store.kill(store.entries(:queue, queue: "deserted")) == 1 }
      assert_match(/at a chunk that begins with 1/,
        assert_raises(WorkerDied) { call.value }.message)
    end

    def test_the_symbol_means_the_store_that_is_set
      Jobs.store = store
      assert_equal([1, 4], Raffia.map([1, 2], on: :jobs, &JobsMappingContract::SquareJob))
    ensure
      Jobs.store = Jobs::Store.open("memory:")
    end
  end
end
