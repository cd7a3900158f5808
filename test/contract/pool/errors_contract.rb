# frozen_string_literal: true

require "raffia"

# Errors of workers that are elsewhere, of which Marshal refuses something. Included beside
# PoolContract.
module PoolErrorsContract
  class Broken < StandardError
    attr_reader :code, :pool

    def initialize(message, code)
      @code = code
      @pool = Thread.current # as ActiveRecord's errors hold their connection pool
      super(message)
    end
  end

  # Makes its message of what it has lost.
  class Telling < Broken
    def message = "#{pool.inspect[2..7]} says #{code}"
  end

  class Loading < StandardError
    def marshal_dump = [message]
    def marshal_load(_) = raise("cannot be loaded")
  end

  class Forging < StandardError
    def marshal_dump = raise(NotImplementedError, "cannot be dumped")
  end

  def test_an_error_is_rebuilt_of_what_can_be_dumped
    run_on do |on|
      error = assert_raises(Broken) do
        Raffia.map([7], **on) { |n| raise Broken.new("item #{n}", n) }
      end
      assert_equal ["item 7", 7, nil, 7, 0],
        [error.message, error.code, error.pool, error.item, error.item_index]
      assert_includes error.backtrace.first, File.basename(__FILE__)
      assert_nil error.cause
    end
  end

  def test_causes_are_rebuilt_too
    run_on do |on|
      error = assert_raises(IOError) do
        Raffia.map([1], **on) do |n|
          raise Broken.new("below", n)
        rescue Broken
          raise IOError, "above"
        end
      end
      assert_instance_of Broken, error.cause
      assert_equal ["above", "below", 1], [error.message, error.cause.message, error.cause.code]
      assert_includes error.cause.backtrace.first, File.basename(__FILE__)
    end
  end

  def test_errors_of_core_keep_their_facts
    run_on do |on|
      error = assert_raises(NoMethodError) do
        Raffia.map([1], **on) { Thread.current.no_such_method }
      end
      assert_equal :no_such_method, error.name
      assert_match(/undefined method .no_such_method/, error.message)
      error = assert_raises(KeyError) { Raffia.map([1], **on) { {a: -> {}}.fetch(:b) } }
      assert_equal [:b, "key not found: :b"], [error.key, error.message]
      error = assert_raises(Errno::ENOENT) do
        Raffia.map([1], **on) do
          raise Errno::ENOENT.new("f").tap { _1.instance_variable_set(:@t, Thread.current) }
        end
      end
      assert_equal [Errno::ENOENT::Errno, "No such file or directory - f"],
        [error.errno, error.message]
    end
  end

  def test_a_message_stays_what_it_was
    run_on do |on|
      error = assert_raises(Telling) { Raffia.map([7], **on) { |n| raise Telling.new("", n) } }
      assert_equal "Thread says 7", error.message
      assert_includes error.full_message, "Thread says 7"
      assert_equal "Thread says 7", Marshal.load(Marshal.dump(error))
        .message # standard:disable Security/MarshalLoad
    end
  end

  def test_errors_whose_own_dump_or_load_fails
    run_on do |on|
      error = assert_raises(Loading) { Raffia.map([1], **on) { raise Loading, "loaded" } }
      assert_equal ["loaded", 1], [error.message, error.item]
      assert_includes error.backtrace.first, File.basename(__FILE__)
      assert_equal "forged",
        assert_raises(Forging) { Raffia.map([1], **on) { raise Forging, "forged" } }.message
    end
  end

  def test_a_rebuilt_error_is_one_to_try_again_on
    assert_raises(Broken) do
      Raffia.map([1], on: strategy, workers: 1, retries: 1, backoff: 0, retry_on: Broken) do
        raise Broken.new("twice", 1)
      end
    end
    error = assert_raises(Loading) do
      Raffia.map([1, 2], on: strategy, workers: 1, retries: 1, backoff: 0) do
        raise Loading, "twice"
      end
    end
    assert_equal "twice", error.message
  end

  def test_an_error_without_a_name_is_described
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1], **on) { raise Class.new(StandardError), "no name" }
      end
      assert_match(/exception #<Class:.*> \(no name\) of item 0/, error.message)
      assert_instance_of TypeError, error.cause
      assert(error.backtrace.any? { |line| line.include?(File.basename(__FILE__)) })
    end
  end
end
