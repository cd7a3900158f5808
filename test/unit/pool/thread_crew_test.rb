# frozen_string_literal: true

require "test_helper"
require "forwardable"
require "raffia/pool"

class ThreadCrewTest < Raffia::TestCase
  # A system that gives a few threads only.
  class Poor < Raffia::Pool::ThreadCrew
    class << self
      attr_accessor :threads
    end

    def spawn(&block)
      raise ThreadError, "can't create Thread: Resource temporarily unavailable" if (self.class.threads -= 1).negative?

      super
    end
  end

  module PoorThreads
    extend SingleForwardable

    def_delegators "Raffia::Pool::Strategy::Threads", :workers, :target, :seats, :around, :portable?

    def self.crew = Poor
  end

  def map(items, threads)
    Poor.threads = threads
    assert_no_leaks { Raffia.map(items, on: PoorThreads, workers: 10, chunk: 1) { |n| n + 1 } }
  end

  def test_fewer_threads_than_wanted_do_the_work
    assert_equal((2..101).to_a, map(1..100, 3))
    assert_equal((2..101).to_a, map((1..100).each, 1))
  end

  def test_without_any_thread_the_error_is_rubys
    assert_match(/can't create Thread/, assert_raises(ThreadError) { map(1..100, 0) }.message)
  end
end
