# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class ExecutorTest < Raffia::TestCase
  Executor = Raffia::Executor
  EVERY = %i[check capacity granularity in_caller? local? group background_group around].freeze
  REMOTE = %i[workers batch_limit overrun_grace].freeze

  # A new executor is this and one line in Executor::ALL: workers that answer messages, each in a
  # thread of its own. A call of "die" ends its worker.
  module Toy
    class Worker
      attr_reader :service

      def initialize(service)
        @service = service
        @messages, @replies = Thread::Queue.new, Thread::Queue.new
        @thread = Thread.new { serve }
      end

      def pid = nil
      def replaced = 0
      def notes? = false
      def room?(_count) = true
      def sendable?(value) = value != :unsendable
      def reply?(seconds) = !@replies.empty? || (sleep(seconds) && !@replies.empty?)
      def receive = @replies.pop
      def death = Raffia::WorkerDied.new("the toy broke", **yield)
      def close(_grace) = @messages.close && @thread.join

      def post(message, _count)
        raise yield(TypeError.new("it is too large")) if calls(message).include?(:unsendable)

        @messages << message
      end

      def refusal(value, index, error)
        Raffia::NotDumpable.new("#{value} at #{index}: #{error.message}", item: value, index: index)
      end

      def interrupt
        @thread.kill
        @replies.close
        :killed
      end

      private

      # Numbers, where the service has the input.
      def calls(message) = Array(message.last)

      def serve
        while (message = @messages.pop)
          return @replies.close if calls(message).flatten.include?("die")

          @replies << @service.call(message)
        end
      end
    end

    module_function

    def check(_limits) = nil
    def capacity(_limits) = 2
    def granularity = 0.01
    def in_caller? = false
    def local? = false
    def group = Executor::Threads::WorkerGroup
    def background_group = group
    def around = yield
    def batch_limit(_limits) = nil
    def overrun_grace = 0.0
    def workers(service, _limits) = -> { Worker.new(service) }
  end

  def refused(name)
    assert_raises(Raffia::ConfigError) { Raffia.map([1], on: name) { |n| n } }.message
  end

  def test_unknown_names
    assert_equal("on: :thread is not a strategy: use one of :inline, :fibers, :threads, " \
      ":ractors, :processes, :auto", refused(:thread))
    assert_match(/on: "threads" is not a strategy \(a Symbol is meant, :threads\)/,
      refused("threads"))
    # Another test may have loaded it.
    assert_equal(" before `require \"raffia/jobs\"`", Raffia::Pool::Strategy.send(:hint, :jobs))
    assert_match(/on: nil is not/, refused(nil))
    assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: :none) }
  end

  def test_default_capacities
    usual = Executor::Config.load.workers || Executor::Cpus.count
    limits = ->(**given) { Raffia::Pool::Options.new(**given) }
    assert_equal({inline: 1, fibers: 256, threads: usual, ractors: usual, processes: usual},
      Executor::ALL.transform_values { |executor| executor.capacity(limits[]) })
    assert_equal(7, Executor::Fibers.capacity(limits[limit: 7]))
    assert_equal(3, Executor::Threads.capacity(limits[workers: 3]))
  end

  def test_every_executor_answers_the_contract
    [*Executor::ALL.values, Toy].each do |executor|
      EVERY.each { |name| assert_respond_to(executor, name) }
      REMOTE.each { |name| assert_respond_to(executor, name) } unless executor.local?
    end
  end

  def test_a_new_executor_works_for_calls
    assert_no_leaks do
      assert_equal((2..101).to_a, Raffia.map(1..100, on: Toy) { |n| n + 1 })
      assert_equal([2, 3], Raffia.map([1, 2].each, on: Toy) { |n| n + 1 })
      assert_equal(5050, Raffia.reduce(1..100, on: Toy) { |sum, n| sum + n })
      assert_raises(IOError) { Raffia.map(1..9, on: Toy) { |n| (n == 5) ? raise(IOError) : n } }
    end
  end

  def test_a_new_executor_works_for_pools
    assert_no_leaks do
      pool = Raffia::Pool.new(on: Toy) { |n| n * 2 }
      assert_equal([2, 4, 6], pool.map([1, 2, 3]))
      assert_equal(4, pool.submit(1).then { |n| n + 2 }.value)
      pool.shutdown
      assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: Toy) }
    end
  end

  def test_a_death_names_the_item_and_may_be_retried
    died = assert_raises(Raffia::WorkerDied) { Raffia.map(["die"].each, on: Toy) { |n| n } }
    assert_equal(["die", 0], [died.item, died.index])
    pool = Raffia::Pool.new(on: Toy, workers: 1) { |n| n }
    assert_instance_of(Raffia::WorkerDied, pool.submit("die").wait.error)
    assert_equal(1, pool.submit(1).value)
    pool.shutdown
  end

  def test_what_cannot_be_posted_is_refused_by_name
    error = assert_raises(Raffia::NotDumpable) do
      Raffia.map([1, :unsendable].each, on: Toy, chunk: 1) { |n| n }
    end
    assert_equal("unsendable at 1: it is too large", error.message)
    assert_equal(1, error.item_index)
  end
end
