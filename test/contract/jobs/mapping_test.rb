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

    class SecretJob
      include Raffia::Job

      options encrypt: true
      def perform(text) = (text == "bad") ? raise(ArgumentError, text * 10) : text * 10
    end

    # Keeps payloads that are enqueued, and goes on.
    module Spy
      def payloads = @payloads ||= Thread::Queue.new

      def enqueue(drafts, **)
        drafts.each { |draft| payloads << draft.payload }
        super
      end
    end

    def test_items_and_replies_of_an_encrypted_class_are_encrypted
      Jobs.keys = {:active => "k1", "k1" => "k" * 32}
      store.extend(Spy)
      assert_equal(["plain" * 10], Raffia.map(["plain"], on: on, &SecretJob))
      error = assert_raises(ArgumentError) { Raffia.map(["bad"], on: on, &SecretJob) }
      assert_equal("bad" * 10, error.message)
      payloads = Array.new(store.payloads.size) { store.payloads.pop }
      assert_equal(4, payloads.size)
      payloads.each { |payload| refute_match(/plain|badbad|\["bad"\]/, payload) }
    ensure
      Jobs.keys = nil
    end

    def test_a_dead_chunk_of_an_encrypted_class_does_not_show_its_items
      Jobs.keys = {:active => "k1", "k1" => "k" * 32}
      target = Jobs.workers(store: store, queue: "deserted")
      call = Thread.new { Raffia.map(["plain"], on: target, &SecretJob) }
      call.report_on_exception = false
      wait_until { store.kill(store.entries(:queue, queue: "deserted")) == 1 }
      message = assert_raises(WorkerDied) { call.value }.message
      assert_includes(message, "a hidden item")
      refute_includes(message, "plain")
    ensure
      Jobs.keys = nil
    end

    def test_the_symbol_means_the_store_that_is_set
      Jobs.store = store
      assert_equal([1, 4], Raffia.map([1, 2], on: :jobs, &JobsMappingContract::SquareJob))
    ensure
      Jobs.store = Jobs::Store.open("memory:")
    end
  end
end
