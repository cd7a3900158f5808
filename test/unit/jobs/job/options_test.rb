# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsOptionsTest < Raffia::TestCase
  class Plain
    include Raffia::Job

    def perform(*) = nil
  end

  class Parent
    include Raffia::Job

    options queue: "mail", retry: 3, priority: 2
    retry_in { 5 }
    on_exhausted { :parents }
  end

  class Child < Parent
    options queue: :slow, tags: %w[a]
  end

  def job(**options)
    Class.new(Plain) { options(**options) }
  end

  def test_without_options_there_are_none
    assert_equal([{}, {}, nil, nil], [Plain.options, Plain.job_options, Plain.retry_in,
      Plain.on_exhausted])
  end

  def test_children_have_those_of_their_parents_and_may_say_otherwise
    assert_equal({queue: "mail", retry: 3, priority: 2}, Parent.options)
    assert_equal({queue: :slow, retry: 3, priority: 2, tags: %w[a]}, Child.options)
    assert_equal({"queue" => "slow", "retry" => 3, "tags" => %w[a]}, Child.job_options)
    assert_equal([5, :parents], [Child.retry_in.call(1, nil), Child.on_exhausted.call({}, nil)])
  end

  def test_options_may_be_said_bit_by_bit
    one = job(queue: "a", retry: 1)
    one.job_options
    one.options(retry: 2)
    assert_equal({queue: "a", retry: 2}, one.options)
    assert_equal({"queue" => "a", "retry" => 2}, one.job_options)
    assert_predicate(one.options, :frozen?)
  end

  # One value of each option that makes no sense; the message names the option and what it takes.
  {
    queue: [5, "a name"], retry: ["often", "true, false or a number"], retry_for: [0, "seconds"],
    tags: ["a", "an Array of Strings"],
    dead: [nil.to_a, "true or false"], backtrace: ["all", "number of lines"],
    priority: [1.5, "a whole number"], expires_in: [-1, "seconds"],
    timeout: ["5", "seconds"], on: [:moon, "fibers, threads, ractors, processes, auto"],
    unique: [:always, "start, done, window, false"],
    unique_for: [0, "seconds"], on_conflict: [:fight, "skip, raise, replace"],
    limit: [0, "from 1 up"], limit_key: [5, "a Proc or a String"],
    rate: ["often", "a number of starts, a RateLimit or false"], per: [0, "seconds"],
    rate_style: [:jar, "one of window, bucket"], rate_burst: [0, "from 1 up"],
    rate_key: [5, "a Proc or a String"], rate_cost: [0, "from 1 up or a Proc"],
    fair_by: ["tenant", "a Proc or false"], fair_weight: [0, "a number above 0 or a Proc"]
  }.each do |name, (value, wanted)|
    define_method(:"test_#{name}_is_checked") do
      error = assert_raises(Raffia::ConfigError) { job(name => value) }
      assert_match(
        /#{name} must be .*#{Regexp.escape(wanted)}.*, not #{Regexp.escape(value.inspect)}/,
        error.message
      )
      assert_raises(Raffia::ConfigError) { Plain.set(name => value) }
    end
  end

  # Suspects have priorities beyond that, and ordinary claims leave these out.
  def test_a_priority_cannot_make_a_suspect
    [2**49, -2**49, Process.clock_gettime(Process::CLOCK_REALTIME, :microsecond)].each do |priority|
      assert_refused(/priority must be a whole number within 2\*\*49/) { job(priority: priority) }
    end
    assert_equal(2**49 - 1, job(priority: 2**49 - 1).options[:priority])
  end

  def test_an_option_that_there_is_not_is_refused
    assert_refused(/there is no option que; there are queue, retry/) { job(que: "a") }
  end

  def test_a_window_needs_its_length
    assert_refused(/unique: :window needs unique_for/) { job(unique: :window) }
    assert_refused(/unique: :window needs unique_for/) { Plain.set(unique: :window) }
    assert_equal(60, job(unique: :window, unique_for: 60).options[:unique_for])
  end

  def test_options_that_mean_nothing_alone
    {limit_key: ["a", :limit], rate_key: ["a", :rate], per: [60, :rate], rate_burst: [2, :rate],
     fair_weight: [2, :fair_by]}.each do |name, (value, whole)|
      assert_refused(/#{name}: has no effect without #{whole}:/) { job(name => value) }
    end
    superclass = job(limit: 1)
    assert_equal "a", Class.new(superclass) { options limit_key: "a" }.options[:limit_key]
  end

  # Options of the class count for the call too.
  def test_the_length_of_a_window_may_stand_in_the_class
    windowed = job(unique_for: 60)
    assert_kind_of(Raffia::Jobs::ConfiguredJob, windowed.set(unique: :window))
    windowed.options(unique: :window)
    assert_equal({unique_for: 60, unique: :window}, windowed.options)
  end
end
