# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server/admission/time_limit"

class ServerTimeLimitTest < Raffia::TestCase
  TimeLimit = Raffia::Server::Admission::TimeLimit

  def test_the_work_finds_it_and_is_cancelled_when_it_passes
    Raffia.run do
      error = assert_raises(Raffia::TimeoutError) do
        TimeLimit.new(0.01).enforce do
          assert_instance_of(TimeLimit, Raffia.deadline)
          sleep
        rescue => own
          flunk("a rescue of errors has met #{own.class}")
        end
      end
      assert_equal(0.01, error.seconds)
      assert_nil(Raffia.deadline)
    end
  end

  def test_the_work_may_ask_for_more
    Raffia.run do
      done = TimeLimit.new(0.02).enforce do
        Raffia.deadline.extend_by(0.02)
        Raffia.deadline.extend_by(20)
        sleep(0.1)
        :done
      end
      assert_equal(:done, done)
    end
  end

  def test_an_extension_passes_too
    Raffia.run do
      error = assert_raises(Raffia::TimeoutError) do
        TimeLimit.new(0.01).enforce do
          Raffia.deadline.extend_by(0.02)
          sleep
        end
      end
      assert_in_delta(0.03, error.seconds)
    end
  end

  def test_extensions_keep_the_order_of_others
    Raffia.run do |scope|
      order = Raffia::Channel.new(10)
      scope.spawn do
        TimeLimit.new(0.01).enforce do
          Raffia.deadline.extend_by(0.5)
          sleep
        end
      rescue Raffia::TimeoutError
        order << :extended
      end
      scope.spawn do
        Raffia.timeout(0.05) { sleep }
      rescue Raffia::TimeoutError
        order << :other
      end
      assert_equal(%i[other extended], [order.pop, order.pop])
    end
  end

  def test_more_is_a_number_of_seconds
    limit = TimeLimit.new(1)
    [-1, "1", nil, Float::NAN].each do |more|
      assert_refused(/number of seconds/) { limit.extend_by(more) }
    end
  end

  def test_computations_ask_by_themselves
    assert_raises(Raffia::TimeoutError) do
      TimeLimit.new(0).enforce { loop { Raffia.deadline.check! } }
    end
  end
end
