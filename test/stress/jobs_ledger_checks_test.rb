# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "ledger/checker"

module Raffia
  # The ledger finds what it is there to find: histories with one fault each.
  class JobsLedgerChecksTest < TestCase
    # The ends of one workflow and one function.
    Store = Struct.new(:state, :status, :steps) do
      def workflow(_) = {"state" => state}

      def flow(_) = {"status" => status}

      def flow_steps(_) = steps
    end
    Step = Struct.new(:kind, :name)

    GOOD = ["e 1 plain", "b 1", "f 1", "a 1", "k B", "x B/success -", "x B/complete -",
      "C B/success", "C B/complete", "w W SumFlow 1", "x W/list 1", "x W/square.0 1", "x W/sum 1",
      "x W/last 1", "A W/list", "d F plain 0", "v F/first 7", "v F/first 7", "s F", "t F go"].freeze

    def check(lines = GOOD, left: 0, forgets: [], store: good_store)
      Dir.mktmpdir do |dir|
        path = File.join(dir, "history")
        File.write(path, lines.map { |line| "#{line}\n" }.join)
        Ledger::Checker.call(path, {}, {queue: left}, store: store, forgets: forgets)
      end
    end

    def good_store = Store.new("done", "done", [Step.new("step", "first")])

    def without(line) = GOOD - [line]

    def test_a_history_without_a_fault
      result = check
      assert(result.good?, result.to_s)
      assert_equal([1, 1, 1, 1], result.facts.values_at("kept", "steps", "workflows", "functions"))
      refute(check(left: 1).good?)
    end

    def test_lost_work
      assert_equal(["1"], check(without("f 1")).lost)
      assert_equal(["callback B/success"], check(without("x B/success -")).lost)
      assert_match(/workflow W/, check(without("x W/sum 1")).lost.join)
      assert_match(/workflow W .*is "running"/, check(store: Store.new("running", "done", [])).lost
        .join)
      assert_match(/function F .*is "waiting"/, check(store: Store.new("done", "waiting", [])).lost
        .join)
      assert_equal(["signal to F"], check(without("t F go") + ["t F late"]).lost)
    end

    def test_doubled_work
      assert_equal(["1"], check(GOOD + ["a 1"]).doubled)
      assert_equal(["callback B/success"], check(GOOD + ["C B/success"]).doubled)
      assert_equal(["step W/list"], check(GOOD + ["A W/list"]).doubled)
      assert_match(/W\/sum/, check(GOOD + ["x W/sum 2"]).doubled.join)
      assert_match(/F\/first/, check(GOOD + ["v F/first 8"]).doubled.join)
      twice = Store.new("done", "done", [Step.new("step", "first")] * 2)
      assert_match(/steps of F/, check(store: twice).doubled.join)
    end

    def test_what_older_data_have_forgotten_is_not_missed
      lines = ["! older_begin 0 0", "e 2 plain", "a 1", "! older_end 0 0"]
      assert(check(GOOD + lines).good?)
      refute(check(GOOD + lines.values_at(0, 1, 3, 2)).good?)
    end

    def test_rates
      fast = Array.new(26) { |n| "r WindowJob-1 #{10 + n * 0.03} #{10 + n * 0.03}" }
      assert_equal(1, check(GOOD + fast).broken.size)
      assert(check(GOOD + fast + ["u WindowJob-1 10.5 10.5"]).good?)
      slow = Array.new(60) { |n| "r WindowJob-1 #{10 + n * 0.04} #{10 + n * 0.04}" }
      assert(check(GOOD + slow).good?)
      turned = GOOD + fast + ["! turn_clock 10.4 10.4"]
      refute(check(turned).good?)
      assert(check(turned, forgets: [:turn_clock]).good?)
      bucket = Array.new(12) { |n| "r BucketJob-1 #{10 + n * 0.01} #{10 + n * 0.01}" }
      refute(check(GOOD + bucket).good?)
    end

    def test_fairness
      small = Array.new(100) { |n| "q s#{n} small-#{n}" }
      large = Array.new(300) { |n| "p l#{n} large-1" }
      claims = Array.new(100) { |n| "p s#{n} small-#{n}" }
      assert(check(GOOD + small + claims + large).good?)
      assert_match(/passed by/, check(GOOD + small + large + claims).broken.join)
      keep = %w[large-1 large-3].flat_map { |one| Array.new(600) { |n| "q #{one}#{n} #{one}" } }
      equal = Array.new(400) { |n| %w[large-1 large-3].map { |one| "p #{one}#{n} #{one}" } }
      assert_match(/weights/, check(GOOD + keep + equal.flatten).broken.join)
    end

    def test_an_argument_that_came_out_otherwise
      assert_match(/arguments differ/, check(GOOD + ["z 1"]).broken.join)
    end
  end
end
