# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Small values.
  module KeyValues
    include Case

    def test_a_written_value_can_be_read
      assert_nil(store.read("a"))
      assert_same(true, store.write("a", "1"))
      assert_same(true, store.write("a", "zwei \u{1F40E}\n"))
      assert_equal("zwei \u{1F40E}\n", store.read("a"))
      assert_nil(store.read("A"))
    end

    def test_nil_deletes_a_value
      store.write("a", "1")
      assert_same(true, store.write("a", nil))
      assert_nil(store.read("a"))
      assert_equal([], store.keys(""))
    end

    def test_a_write_may_expect_a_value
      assert_same(false, store.write("a", "2", expect: "1"))
      assert_same(true, store.write("a", "1", expect: nil))
      assert_same(false, store.write("a", "3", expect: nil))
      assert_same(true, store.write("a", "2", expect: "1"))
      assert_equal("2", store.read("a"))
      assert_same(false, store.write("a", nil, expect: "1"))
      assert_same(true, store.write("a", nil, expect: "2"))
      assert_nil(store.read("a"))
    end

    def test_one_of_many_writes_with_the_same_expectation_succeeds
      store.write("a", "0")
      done = Array.new(8) { |n| Thread.new { store.write("a", "by #{n}", expect: "0") } }
        .map(&:value)
      assert_equal(1, done.count(true))
    end

    def test_a_value_may_expire
      store.write("a", "1", ttl: 900)
      store.write("b", "1", ttl: 0.1)
      wait_until { store.read("b").nil? }
      assert_equal("1", store.read("a"))
      assert_equal(%w[a], store.keys(""))
      assert_same(true, store.write("b", "2", expect: nil))
      assert_equal("2", store.read("b"))
    end

    def test_the_store_has_a_clock
      before = store.now
      assert_in_delta(Time.now.to_f, before, 60)
      assert_kind_of(Float, before)
      wait_until { store.now > before }
    end

    def test_a_new_value_without_a_ttl_stays
      store.write("a", "1", ttl: 0.3)
      store.write("a", "2")
      store.write("probe", "1", ttl: 0.4)
      wait_until { store.read("probe").nil? }
      assert_equal("2", store.read("a"))
    end

    def test_keys_are_found_by_prefix
      ["cron:b", "cron:a", "cron", "crone", "x:cron:c", "cron:%", "cron:_*?[a]"].each do |key|
        store.write(key, "1")
      end
      assert_equal(["cron:%", "cron:_*?[a]", "cron:a", "cron:b"], store.keys("cron:"))
      assert_equal(["cron:%"], store.keys("cron:%"))
      assert_equal(["cron:_*?[a]"], store.keys("cron:_*?["))
      assert_equal([], store.keys("nothing"))
    end
  end
end
