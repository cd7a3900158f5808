# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRateLimitTest < Raffia::TestCase
  Jobs = Raffia::Jobs
  CRM = Jobs::RateLimit.new("crm", 2, per: 3600)

  class SyncJob
    include Raffia::Job

    options rate: CRM, rate_key: ->(account, *) { account }

    def perform(*) = nil
  end

  class CallJob
    include Raffia::Job

    options rate: 1, per: 3600, rate_cost: ->(size, *) { size }

    def perform(*) = nil
  end

  class FairJob
    include Raffia::Job

    options fair_by: ->(tenant, *) { tenant }, fair_weight: ->(_, weight) { weight }

    def perform(*) = nil
  end

  def setup
    super
    Jobs.store = "memory:"
  end

  def extras = Jobs.store.entries(:queue).last.item["raffia"]

  def test_jobs_carry_the_rule_and_the_key
    SyncJob.perform_async(7, 1)
    assert_equal({"rate" => {"name" => "crm", "key" => "crm:7", "allow" => 2, "per" => 3600,
                             "style" => "window"}}, extras)
    CallJob.perform_async(3)
    rate = extras["rate"]
    assert_equal([self.class.name + "::CallJob"] * 2 + [3], rate.values_at("name", "key", "cost"))
  end

  def test_jobs_carry_their_turn
    FairJob.perform_async("a", 2.5)
    assert_equal({"key" => "a", "weight" => 2.5}, extras["fair"])
  end

  def test_a_limit_can_be_changed_closed_and_read
    5.times { SyncJob.perform_async(7) }
    lease = Jobs.store.enroll("test:1:x", {}, ttl: 60)
    CRM.close(60, 7)
    assert_empty(Jobs.store.claim(lease, ["default"], 9))
    CRM.close(0, 7)
    CRM.change(3)
    Jobs.store.promote
    assert_equal(3, Jobs.store.claim(lease, ["default"], 9).size)
    assert_equal([3, 0, 2], CRM.status(7).values_at("allow", "tokens", "blocked"))
    CRM.reset
    assert_equal(2, CRM.status(7)["allow"])
    assert_equal({}, CRM.status)
  end

  def test_long_keys_are_shortened_and_stay_different
    keys = %w[a b].map { |last| CRM.key("é" * 200 + last) }
    assert_operator(keys.map(&:bytesize).max, :<=, 200)
    assert_equal(2, keys.uniq.size)
    assert_predicate(keys.first, :valid_encoding?)
  end

  {
    "allow a whole number from 1 to 10000, not 0" => [0, {per: 1}],
    "have per: seconds above 0, not 0" => [1, {per: 0}],
    "be of one of the styles window, bucket, not :jar" => [1, {per: 1, style: :jar}],
    "have a burst from 1 to 10000, or none, not -1" => [1, {per: 1, style: :bucket, burst: -1}]
  }.each_with_index do |(message, (allow, options)), index|
    define_method(:"test_wrong_values_are_refused_#{index}") do
      error = assert_raises(Raffia::ConfigError) { Jobs::RateLimit.new("x", allow, **options) }
      assert_equal("the rate x must #{message}", error.message)
    end
  end

  def test_a_rate_needs_its_time
    assert_refused(/rate: needs per: seconds/) { Class.new(SyncJob) { options rate: 5, per: nil } }
  end

  def test_a_bucket_holds_the_starts_of_a_second
    bursts = [[100, 1], [60, 60], [1, 3600]].map do |allow, per|
      Jobs::RateLimit.new("x", allow, per: per, style: :bucket).rule["burst"]
    end
    assert_equal([100, 1, 1], bursts)
  end
end
