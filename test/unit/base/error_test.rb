# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class ErrorTest < Raffia::TestCase
  LEAVES = [Raffia::ConfigError, Raffia::NotFound, Raffia::Closed, Raffia::Full, Raffia::Rejected,
    Raffia::Cancelled, Raffia::TimeoutError,
    Raffia::WorkerDied, Raffia::NotShareable, Raffia::NotDumpable, Raffia::MissingDependency].freeze

  def test_the_tree
    assert_equal StandardError, Raffia::Error.superclass
    LEAVES.each { |leaf| assert_equal Raffia::Error, leaf.superclass, leaf }
    refute_operator Raffia::Cancel, :<, StandardError
  end

  def test_raised_with_a_message_alone
    LEAVES.each { |leaf| assert_equal "text", assert_raises(leaf) { raise leaf, "text" }.message }
  end

  def test_cross_process_boundaries
    LEAVES.each { |leaf| assert_equal "text", Marshal.load(Marshal.dump(leaf.new("text"))).message }
    died =
      Marshal.load(Marshal.dump(Raffia::WorkerDied.new(pid: 7, signal: "SIGKILL", item: "x",
        index: 3)))
    assert_equal [7, "SIGKILL", nil, "x", 3],
      [died.pid, died.signal, died.status, died.item, died.index]
  end

  def test_messages_say_the_fault_and_the_remedy
    assert_match(/process 7 was killed by SIGKILL while it worked on item 3.*out-of-memory/,
      Raffia::WorkerDied.new(pid: 7, signal: "SIGKILL", index: 3).message)
    assert_match(/process 7 exited with status 2\z/,
      Raffia::WorkerDied.new(pid: 7, status: 2).message)
    assert_match(/the worker died/, Raffia::WorkerDied.new.message)
    assert_match(/block at a\.rb:3 uses `?list.*make_shareable/,
      Raffia::NotShareable.new(variable: :list, location: "a.rb:3").message)
    assert_match(/item 4.*threads/, Raffia::NotDumpable.new(index: 4).message)
    assert_match(/limit of 10/, Raffia::Full.new(limit: 10).message)
    assert_match(/within 2 s/, Raffia::TimeoutError.new(seconds: 2).message)
    assert_match(/job\.rb does not exist/, Raffia::NotFound.new(name: "job.rb").message)
    assert_match(/cancelled: too slow/, Raffia::Cancelled.new(reason: "too slow").message)
    assert_equal "cancelled", Raffia::Cancelled.new.message
    assert_match(/redis-client/,
      Raffia::MissingDependency.new(gem_name: "redis-client", requirement: ">= 1").message)
  end

  def test_data
    assert_equal [10, 2, "x"], [Raffia::Full.new(limit: 10).limit,
      Raffia::TimeoutError.new(seconds: 2).seconds, Raffia::NotFound.new(name: "x").name]
    shareable = Raffia::NotShareable.new(variable: :a, location: "b")
    assert_equal [:a, "b"], [shareable.variable, shareable.location]
    dumpable = Raffia::NotDumpable.new(item: 1, index: 2)
    assert_equal [1, 2], [dumpable.item, dumpable.index]
    missing = Raffia::MissingDependency.new(gem_name: "a", requirement: "b")
    assert_equal %w[a b], [missing.gem_name, missing.requirement]
  end

  def test_cancel_carries_its_cause
    reason = IOError.new("broken")
    cancel = Raffia::Cancel.new(reason, origin: :here)
    assert_same reason, cancel.cause
    assert_same reason, cancel.reason
    assert_equal :here, cancel.origin
    assert_equal "cancelled: broken (IOError)", cancel.message
    assert_nil Raffia::Cancel.new("words").cause
    assert_equal "cancelled: words", Raffia::Cancel.new("words").message
    assert_equal "cancelled", Raffia::Cancel.new.message
  end

  def test_suppressed_errors_are_printed
    error = RuntimeError.new("first")
    others = [assert_raises(IOError) { raise IOError, "second\nand more" }, TypeError.new("third")]
    Raffia::Suppressed.attach(error, others)
    assert_equal "first", error.message
    text = error.full_message(highlight: false)
    # JRuby leaves the class out
    first = (RUBY_ENGINE == "ruby") ? /first \(RuntimeError\)/ : /first/
    assert_match(
      /#{first}\nand 2 more:\n  IOError: second \(.*error_test.rb:\d+:.*\)\n  TypeError: third/,
      text
    )
    copy = Marshal.load(Marshal.dump(error))
    assert_match(/and 2 more/, copy.full_message(highlight: false))
  end

  def test_suppressed
    error = StandardError.new
    assert_empty Raffia.suppressed(error)
    assert_same error, Raffia::Suppressed.attach(error, [1, 2])
    assert_equal [1, 2], Raffia.suppressed(error)
    assert_empty Raffia.suppressed(Raffia::Suppressed.attach(StandardError.new.freeze, [1]))
  end
end
