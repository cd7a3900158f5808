# frozen_string_literal: true

require "test_helper"
require "raffia/base/ractor_local"
require "raffia/base/signals"

class RactorLocalTest < Raffia::TestCase
  # A name that was not fetched before, in this or another run of these tests.
  def key = :"raffia_local_test_#{object_id}_#{@keys = @keys.to_i + 1}"

  def test_threads_that_come_first_at_the_same_time_get_the_same
    gate, once = Thread::Queue.new, key
    threads = Array.new(8) do
      Thread.new do
        gate.pop
        Raffia::RactorLocal.fetch(once) { sleep(0.01) && Object.new }
      end
    end
    wait_until { gate.num_waiting == 8 }
    gate.close
    assert_equal(1, threads.map(&:value).uniq.size)
  end

  def test_a_block_may_fetch_and_may_fail
    outer, inner, failing = key, key, key
    assert_equal([1, 2], Raffia::RactorLocal.fetch(outer) {
      [1,
        Raffia::RactorLocal.fetch(inner) { 2 }]
    })
    assert_raises(KeyError) { Raffia::RactorLocal.fetch(failing) { raise KeyError } }
    assert_equal(3, Raffia::RactorLocal.fetch(failing) { 3 })
    assert_equal(2, Raffia::RactorLocal.fetch(inner) { flunk })
  end

  def test_a_trap_handler_may_be_the_first
    once = key
    got = Thread::Queue.new
    Raffia::Signals.with(USR1: ->(_) { got << Raffia::RactorLocal.fetch(once) { :handled } }) do
      ::Process.kill(:USR1, ::Process.pid)
      assert_equal(:handled, got.pop(timeout: PATIENCE))
    end
  end
end
