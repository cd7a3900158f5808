# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsSetupTest < Raffia::TestCase
  def setup
    super
    @setup = Raffia::Jobs::Setup.new
  end

  def test_a_store_may_be_given_by_its_address
    @setup.store = "memory:"
    assert_instance_of(Raffia::Jobs::Stores::Memory, @setup.store)
    assert_same(@setup.store, @setup.client.store)
  end

  def test_a_store_may_be_given_itself
    store = Raffia::Jobs::Store.open("memory:")
    @setup.store = store
    assert_same(store, @setup.store)
  end

  def test_a_new_store_has_a_new_client
    @setup.store = "memory:"
    first = @setup.client
    assert_same(first, @setup.client)
    @setup.store = "memory:"
    refute_same(first, @setup.client)
    assert_same(@setup.store, @setup.client.store)
  end

  def test_what_is_no_store_is_refused
    [nil, 5, Object.new, :memory].each do |odd|
      assert_refused(/is no store: use one such as sqlite:jobs\.db/) { @setup.store = odd }
    end
    ["", "jobs.db", "mongo://x", "Memory:", "://"].each do |odd|
      assert_refused(/#{Regexp.escape(odd.inspect)} is no store/) { @setup.store = odd }
    end
  end

  def test_the_store_where_nothing_is_said_can_be_another
    @setup.default = "memory:"
    skip "RAFFIA_STORE is set here" if Raffia::Jobs::Config.load.store
    store = @setup.store # loads its class
    assert_instance_of(Raffia::Jobs::Stores::Memory, store)
  end

  def test_all_threads_have_one_client
    @setup.store = "memory:"
    assert_equal(1, Array.new(8) { Thread.new { @setup.client } }.map(&:value).uniq(&:object_id)
      .size)
  end

  def test_the_environment_may_name_the_store
    assert_equal("memory:\n",
      output_of('ENV["RAFFIA_STORE"] = "memory:"; require "raffia/jobs"; puts ' \
        "Raffia::Jobs.store.url"))
  end

  def test_each_ractor_has_its_own
    need_ractors
    assert_equal("[true, [\"memory:\", 1]]\n", output_of(<<~RUBY))
      require "raffia/jobs"
      class EchoJob
        include Raffia::Job
        options queue: "echo", limit: 3
        def perform(*) = nil
      end
      Raffia::Jobs.store = "memory:"
      ractor = Ractor.new do
        Raffia::Jobs.store = "memory:"
        EchoJob.perform_async(1)
        [Raffia::Jobs.store.url, Raffia::Jobs.store.counts[:queue]]
      end
      value = ractor.respond_to?(:value) ? ractor.value : ractor.take
      p [Raffia::Jobs.store.counts[:queue].zero?, value]
    RUBY
  end
end
