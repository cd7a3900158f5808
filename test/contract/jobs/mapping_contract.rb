# frozen_string_literal: true

require "raffia/jobs"
require "raffia/jobs/worker"

module Raffia
  # Raffia.map and the other calls with on: :jobs, on each store. A test that includes it has
  # `store`, and workers that read "default".
  module JobsMappingContract
    class SquareJob
      include Raffia::Job

      def perform(number) = number * number
    end

    class PickyJob
      include Raffia::Job

      def perform(number)
        raise ArgumentError, "not #{number}" if number == 7
        raise Odd.new(1, 2) if number == 8

        (number == 9) ? :symbol : number
      end
    end

    # No other process can make one from a message.
    class Odd < StandardError
      def initialize(one, two) = super("#{one} and #{two}")
    end

    def on = Jobs.workers(store: store)

    def test_map
      assert_equal((1..100).map { |n| n * n }, Raffia.map(1..100, on: on, &SquareJob))
      assert_equal((1..20).map { |n| n * n },
        Raffia.map(1..20, on: on, chunk: 7, ordered: false, &SquareJob).sort)
      assert_equal([], Raffia.map([], on: on, &SquareJob))
    end

    def test_methods_and_sisters
      assert_equal([1.0, 2.0, 3.0], Raffia.map([1, 4, 9], on: on, &Jobs.reference(Math, :sqrt)))
      assert_in_delta(5.0, Raffia.reduce([3, 4], on: on, &Jobs.reference(Math, :hypot)))
      assert_equal([1, 4], Raffia.filter_map([1, 2], on: on, &SquareJob))
      assert_includes([5, 6], Raffia.find_any([5, 6], on: on, &SquareJob))
      assert_equal([1, 2], Raffia.each([1, 2], on: on, &SquareJob))
    end

    def test_nothing_is_left_behind
      Raffia.map(1..10, on: on, &SquareJob)
      wait_until { store.counts.slice(*Jobs::Store::SETS).values.sum.zero? }
      assert_empty(store.queues.map { |queue| queue["name"] }.grep(/raffia\.map/))
      assert_empty(store.keys("map:"))
      refute(store.processes.any? { |process| process["tag"] == "map" })
    end

    def test_what_the_block_raises
      error = assert_raises(ArgumentError) { Raffia.map(1..7, on: on, &PickyJob) }
      assert_equal("not 7", error.message)
      assert_match(/in.*perform/, error.backtrace.first)
      error = assert_raises(Jobs::RemoteError) { Raffia.map([8], on: on, &PickyJob) }
      assert_equal(["Raffia::JobsMappingContract::Odd",
        "Raffia::JobsMappingContract::Odd: 1 and 2"], [error.name, error.message])
      assert_match(/JSON would not give back/,
        assert_raises(Jobs::BadArguments) { Raffia.map([9], on: on, &PickyJob) }.message)
    end

    def test_what_cannot_go
      assert_match(/as JSON/,
        assert_raises(NotDumpable) { Raffia.map([:symbol], on: on, &SquareJob) }.message)
      assert_match(/give a job class/,
        assert_raises(ConfigError) { Raffia.map([1], on: on) { |n| n } }.message)
      assert_raises(ConfigError) { Raffia.map([1], on: on, item_timeout: 1, &SquareJob) }
      assert_raises(ConfigError) { Jobs.reference(Math, :nothing) }
      assert_raises(ConfigError) { Raffia::Pool.new(on: on) { 1 } }
      assert_match(/has no name/,
        assert_raises(ConfigError) { Raffia.map([1], on: on, &Class.new { include Raffia::Job }) }
          .message)
    end

    # No worker reads this queue: the call must end all the same, and its chunks must go.
    def test_a_deadline
      assert_raises(TimeoutError) do
        Raffia.map(1..10, on: Jobs.workers(store: store, queue: "deserted"),
          timeout: 0.2, &SquareJob)
      end
      assert_empty(store.entries(:queue, queue: "deserted"))
    end

    class GateJob
      include Raffia::Job

      BEGUN = Thread::Queue.new
      GATE = Thread::Queue.new

      def perform(number)
        BEGUN << number
        GATE.pop
      end
    end

    def test_an_answer_that_comes_too_late_is_none
      Raffia.run do |scope|
        caller = scope.spawn { Raffia.map([1], on: on, &GateJob) }
        assert_equal(1, GateJob::BEGUN.pop(timeout: 30))
        caller.cancel
      end
      GateJob::GATE << 1
      wait_until { store.counts[:running].zero? }
      assert_empty(store.queues.map { |queue| queue["name"] }.grep(/raffia\.map/))
    end

    def test_chunks_of_a_call_that_has_ended_are_not_done
      jid =
        Jobs::Client.new(store).enqueue([{"class" => Jobs::Mapping::ChunkJob,
                                          "args" => ["gone", 1, "Nonsense", "map", [], [1]]}]).first
      wait_until { store.find(jid).nil? }
    end

    def test_workers_that_do_not_know_the_job
      reference = Jobs::Mapping::Reference.new("NowhereJob") { |n| n }
      error = assert_raises(Jobs::UnknownJob) { Raffia.map([1], on: on, &reference) }
      assert_match(/NowhereJob/, error.message)
    end

    def test_from_fibers
      results = Raffia.run do |scope|
        Array.new(4) { |n| scope.spawn { Raffia.map([n, n + 1], on: on, &SquareJob) } }.map(&:value)
      end
      assert_equal(Array.new(4) { |n| [n * n, (n + 1) * (n + 1)] }, results)
    end
  end
end
