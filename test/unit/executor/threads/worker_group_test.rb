# frozen_string_literal: true

require "test_helper"
require "delegate"
require "raffia/pool"

class ThreadWorkerGroupTest < Raffia::TestCase
  # A system that gives a few threads only.
  class Poor < SimpleDelegator
    def initialize(threads)
      super(Raffia::Executor::Threads)
      @threads = threads
    end

    def group
      left = @threads
      Class.new(Raffia::Executor::Threads::WorkerGroup) do
        define_method(:spawn) do |&block|
          if (left -= 1).negative?
            raise ThreadError, "can't create Thread: Resource temporarily unavailable"
          end

          super(&block)
        end
      end
    end
  end

  def map(items, threads)
    assert_no_leaks do
      Raffia.map(items, on: Poor.new(threads), workers: 10, chunk: 1) { |n| n + 1 }
    end
  end

  def test_fewer_threads_than_wanted_do_the_work
    assert_equal((2..101).to_a, map(1..100, 3))
    assert_equal((2..101).to_a, map((1..100).each, 1))
  end

  def test_without_any_thread_the_error_is_rubys
    assert_match(/can't create Thread/, assert_raises(ThreadError) { map(1..100, 0) }.message)
  end
end
