# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRateLimiterTest < Raffia::TestCase
  Limiter = Raffia::Jobs::Store::RateLimiter

  def limiter(now: 1000.0, starts: [], state: @state, **spec)
    spec = {"allow" => 4, "per" => 8}.merge(spec.transform_keys(&:to_s))
    Limiter.for(Limiter::Rule.of(spec), state, now, starts)
  end

  def setup
    super
    @state = Limiter::State.initial
  end

  def test_a_window_grants_what_it_allows
    assert_equal([1000.0] * 3, limiter.grant([1, 2, 1, 1]))
    assert_equal([0, 4], [limiter.tokens, @state.used])
    assert_equal(1006.0, limiter(starts: [[998.0, 4]]).opens_at)
  end

  def test_a_window_takes_starts_back
    one = limiter
    one.grant([1, 1])
    one.refund(1)
    assert_equal([3, 2], [limiter.tokens, one.taken.values.sum])
  end

  def test_starts_of_a_window_are_counted_together
    rule = Limiter::Rule.of({"allow" => 4, "per" => 8})
    slots = [1000.0, 1000.003, 1000.008].map { |at| Limiter::SlidingWindow.slot(rule, at) }
    assert_equal(2, slots.uniq.size)
    assert_operator(slots[1], :>=, 1000.003)
  end

  def test_a_bucket_is_filled_continuously
    bucket = {style: "bucket", burst: 2}
    assert_equal(2, limiter(**bucket).grant([1, 1, 1]).size)
    assert_equal(1002.0, limiter(**bucket).opens_at)
    assert_equal([0, 1, 2, 2],
      [1001.9, 1002.0, 1004.0, 1100.0].map { |now| limiter(now: now, **bucket).tokens })
  end

  def test_a_bucket_survives_a_clock_that_was_set_back
    bucket = {style: "bucket", burst: 2}
    limiter(now: 5000.0, **bucket).grant([1, 1])
    assert_equal(1002.25, limiter(**bucket).opens_at)
  end

  def test_a_cost_beyond_all_is_the_most_there_is
    assert_equal(1, limiter.grant([9]).size)
    assert_equal(0, limiter.tokens)
    @state = Limiter::State.initial
    assert_equal(1, limiter(style: "bucket", burst: 2).grant([9]).size)
  end

  def test_a_closed_key_has_no_tokens
    @state.closed_until = 1005.0
    assert_equal([0, [], 1005.0], [limiter.tokens, limiter.grant([1]), limiter.opens_at])
    assert_equal(4, limiter(now: 1005.0).tokens)
  end

  def test_the_opening_after_more_starts_is_in_the_future
    assert_equal(1008.0, limiter.opens_after(4, 1))
    assert_equal(1000.008, limiter.opens_after(1, 1))
    assert_equal(0, @state.used)
  end

  def test_a_window_grants_starts_before_their_time
    @state.used = 4
    one = limiter(starts: [[992.1, 1], [992.15, 2], [999.0, 1]])
    assert_equal([[], 0], [one.grant([1]), one.tokens])
    assert_equal([1000.1, 1000.15, 1007.0],
      [0, 2, 3].map { |spent| one.opens_after(spent, 1, 0.2).round(6) })
    assert_in_delta(1000.1, one.grant([1], 0.2)[0])
    assert_equal(2, one.tokens(0.2))
    assert_equal([1000.15] * 2, one.grant([1, 1, 1], 0.2).map { |time| time.round(6) })
    assert_equal([0, 7], [one.tokens(0.2), @state.used])
    assert_equal([1, 2], one.taken.values)
    assert_equal(1007.0, one.opens_at)
  end

  # However claims, planned starts and starts taken back follow each other.
  def test_no_window_has_more_starts_than_it_allows
    [3, 19, 91].each do |seed|
      random = Random.new(seed)
      starts = windows_of(random, allow: 5, per: 1.0).sort
      assert_operator(starts.size, :>, 200)
      starts.each_cons(6) { |first, *, last| assert_operator(last - first, :>, 1 - 1e-6) }
    end
  end

  def test_a_bucket_grants_starts_before_their_time
    bucket = {style: "bucket", burst: 1, allow: 40}
    one = limiter(**bucket)
    assert_equal([1000.0], one.grant([1, 1, 1]))
    assert_equal(1, one.tokens(0.2))
    assert_in_delta(1000.4, one.opens_after(1, 1, 0.2))
    assert_equal([1000.2], one.grant([1, 1], 0.2))
    assert_equal(0, limiter(now: 1000.2, **bucket).tokens)
    assert_equal(1, limiter(now: 1000.4, **bucket).tokens)
  end

  private

  # Starts that a store counts, in the window's grain.
  def windows_of(random, **spec)
    now = 1000.0
    all = []
    rule = Limiter::Rule.of({"allow" => spec[:allow], "per" => spec[:per]})
    counted = Hash.new(0)
    @state = Limiter::State.initial
    400.times do
      now += random.rand * 0.4
      left, counted = counted.partition { |at, _| at <= now - rule.per }
      all.concat(left.flat_map { |at, number| [at] * number })
      counted = counted.to_h.tap { |hash| hash.default = 0 }
      @state.used = counted.values.sum
      one = limiter(now: now, starts: counted.sort, **spec)
      one.grant([1] * random.rand(4), [0, rule.lead].sample(random: random))
      one.taken.each do |at, number|
        counted[(at == now) ? Limiter::SlidingWindow.slot(rule, now) : at] += number
      end
      newest = counted.keys.max
      counted[newest] -= 1 if newest && counted[newest] > 0 && random.rand < 0.1
    end
    all
  end
end
