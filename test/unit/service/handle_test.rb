# frozen_string_literal: true

require "test_helper"
require "raffia/service"

class ServiceHandleTest < Raffia::TestCase
  # Runs until it is stopped, or fails.
  class Program
    def initialize(before: nil, after: nil)
      @before = before
      @after = after
      @stops = ::Thread::Queue.new
    end

    def run
      raise @before if @before

      yield
      @stops.pop
      raise @after if @after
    end

    def stop = @stops.push(true)
  end

  def test_it_runs_until_it_is_stopped
    handle = Raffia::Service::Handle.new(Program.new)
    assert_predicate(handle, :running?)
    assert_nil(handle.stop)
    refute_predicate(handle, :running?)
  end

  def test_errors_at_the_start_are_raised
    assert_raises(IOError) { Raffia::Service::Handle.new(Program.new(before: IOError.new("no"))) }
  end

  def test_errors_at_the_end_are_raised
    handle = Raffia::Service::Handle.new(Program.new(after: IOError.new("late")))
    assert_raises(IOError) { handle.stop }
  end

  def test_fiber_storage_is_not_inherited
    seen = :nothing
    program = Program.new
    program.define_singleton_method(:run) do |&ready|
      seen = Fiber[:secret]
      super(&ready)
    end
    Fiber[:secret] = 1
    Raffia::Service::Handle.new(program).stop
    assert_nil(seen)
  ensure
    Fiber[:secret] = nil
  end
end
