# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRateLimiterTest < Raffia::TestCase
  Limiter = Raffia::Jobs::Store::RateLimiter

  def limiter(now: 1000.0, oldest: nil, state: @state, **spec)
    spec = {"allow" => 4, "per" => 8}.merge(spec.transform_keys(&:to_s))
    Limiter.for(Limiter::Rule.of(spec), state, now, oldest)
  end

  def setup
    super
    @state = Limiter::State.initial
  end

  def test_a_window_grants_what_it_allows
    assert_equal(3, limiter.grant([1, 2, 1, 1]))
    assert_equal([0, 4], [limiter.tokens, @state.used])
    assert_equal(1006.0, limiter(oldest: 998.0).opens_at)
  end

  def test_a_window_takes_starts_back
    one = limiter
    one.grant([1, 1])
    one.refund(1)
    assert_equal([3, 2], [limiter.tokens, one.spent])
  end

  def test_starts_of_a_window_are_counted_together
    rule = Limiter::Rule.of({"allow" => 4, "per" => 8})
    slots = [1000.0, 1000.003, 1000.008].map { |at| Limiter::SlidingWindow.slot(rule, at) }
    assert_equal(2, slots.uniq.size)
    assert_operator(slots[1], :>=, 1000.003)
  end

  def test_a_bucket_is_filled_continuously
    bucket = {style: "bucket", burst: 2}
    assert_equal(2, limiter(**bucket).grant([1, 1, 1]))
    assert_equal(1002.0, limiter(**bucket).opens_at)
    assert_equal([0, 1, 2, 2],
      [1001.9, 1002.0, 1004.0, 1100.0].map { |now| limiter(now: now, **bucket).tokens })
  end

  def test_a_bucket_survives_a_clock_that_was_set_back
    bucket = {style: "bucket", burst: 2}
    limiter(now: 5000.0, **bucket).grant([1, 1])
    assert_equal(1002.0, limiter(**bucket).opens_at)
  end

  def test_a_cost_beyond_all_is_the_most_there_is
    assert_equal(1, limiter.grant([9]))
    assert_equal(0, limiter.tokens)
    @state = Limiter::State.initial
    assert_equal(1, limiter(style: "bucket", burst: 2).grant([9]))
  end

  def test_a_closed_key_has_no_tokens
    @state.closed_until = 1005.0
    assert_equal([0, 0, 1005.0], [limiter.tokens, limiter.grant([1]), limiter.opens_at])
    assert_equal(4, limiter(now: 1005.0).tokens)
  end

  def test_the_opening_after_more_starts_is_in_the_future
    assert_equal(1008.0, limiter.opens_after(4, 1))
    assert_equal(1000.008, limiter.opens_after(1, 1))
    assert_equal(0, @state.used)
  end
end
