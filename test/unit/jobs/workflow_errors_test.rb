# frozen_string_literal: true

require "support/jobs_case"

# Workflows with errors: a clear message before anything is stored, or a dead job with its reason.
class WorkflowErrorsTest < TestSupport::JobsCase
  NoteJob = TestSupport::JobsCase::NoteJob
  SEEN = TestSupport::JobsCase::SEEN

  class ReturnJob
    include Raffia::Job

    def perform(value) = return_value(value)
  end

  class KeyedJob
    include Raffia::Job

    options limit: 1, limit_key: ->(key) { key }

    def perform(*) = nil
  end

  class UniqueJob
    include Raffia::Job

    options unique: :done

    def perform(*) = nil
  end

  class BadResultJob
    include Raffia::Job

    BAD = {
      "large" => "x" * 262_143, "symbol" => {symbol: :no}, "infinite" => Float::INFINITY,
      "bytes" => "\xff", "time" => Time.at(0), "deep" => 101.times.reduce(1) { |value, _| [value] }
    }.freeze

    def perform(kind) = return_value(BAD.fetch(kind))
  end

  class CountJob
    include Raffia::Job

    RUNNING = [] # rubocop:disable Style/MutableConstant

    def perform
      RUNNING << 1
      SEEN << RUNNING.size
      sleep(0.005)
      RUNNING.pop
    end
  end

  class OuterFlow
    include Raffia::Workflow

    def build(*args)
      flow :inner, InnerFlow, *args
      job :last, NoteJob, "last", after: :inner
    end
  end

  class InnerFlow
    include Raffia::Workflow

    def build(kind = nil)
      job :one, NoteJob, (kind == "argument") ? :symbol : 1, after: (kind == "cycle") ? :one : []
    end
  end

  class EndlessFlow
    include Raffia::Workflow

    def build = flow(:deeper, EndlessFlow)
  end

  ERRORS = {
    "the steps a -> b -> a of workflow" =>
      ->(w) { w.job(:a, NoteJob, after: :b).job(:b, NoteJob, after: :a) },
    "the steps a -> a of workflow" => ->(w) { w.job(:a, NoteJob, after: :a) },
    "the steps b -> c -> b of workflow" => lambda { |w|
      w.job(:a, NoteJob).each(:b, NoteJob, from: :c).job(:c, NoteJob, [w.result(:b)])
    },
    "the steps in -> out -> in of workflow" => lambda { |w|
      w.group(:all, after: :out) { w.job :in, NoteJob }
      w.job :out, NoteJob, after: :all
    },
    "has a step a already" => ->(w) { w.job(:a, NoteJob).job("a", NoteJob) },
    "has a step all already" => lambda { |w|
      w.group(:all) { w.job :a, NoteJob }
      w.job :all, NoteJob
    },
    "step a of workflow w waits for x, which is no step: there are a" =>
      ->(w) { w.job :a, NoteJob, after: :x },
    "step b of workflow w waits for x, which is no step: there are a, b" =>
      ->(w) { w.job(:a, NoteJob).job(:b, NoteJob, {"deep" => [w.result(:x)]}) },
    "step b of workflow w waits for y, which is no step: there are a, b" =>
      ->(w) { w.job(:a, NoteJob).each(:b, NoteJob, from: :y) },
    "step b of workflow w is from a, a workflow, which has no result" =>
      ->(w) { w.flow(:a, InnerFlow).each(:b, NoteJob, from: :a) },
    "has no steps" => ->(_) {},
    "cannot be the name of a step" => ->(w) { w.job "a b", NoteJob },
    "is no job" => ->(w) { w.job :a, String },
    "is no workflow" => ->(w) { w.flow :a, NoteJob },
    "must be :skip or :run" => ->(w) { w.job :a, NoteJob, on_failure: :stop },
    "is unique, and cannot be an undo" => ->(w) { w.job :a, NoteJob, undo: UniqueJob },
    "unique of WorkflowErrorsTest::UniqueJob needs its arguments" =>
      ->(w) { w.job(:l, ReturnJob, []).each(:a, UniqueJob, from: :l) },
    "limit_key of WorkflowErrorsTest::KeyedJob needs its arguments" =>
      ->(w) { w.job(:l, ReturnJob, []).job(:a, KeyedJob, w.result(:l)) }
  }.freeze

  def test_errors_of_graphs_come_before_anything_is_stored
    ERRORS.each do |text, block|
      error = assert_raises(Raffia::ConfigError, text) { Raffia::Workflow.new("w", &block).start }
      assert_includes(error.message, text)
    end
    assert_raises(Jobs::BadArguments) { Raffia::Workflow.new { |w| w.job :a, NoteJob, :no } }
    assert_equal([0, []], [@store.counts[:queue], @store.workflows])
  end

  def test_invalid_ids_deadlines_and_limits_are_refused
    ["a b", "", "x" * 201].each do |id|
      assert_raises(Raffia::ConfigError) { Raffia::Workflow.new(id) }
    end
    [0, -1, "5", Float::INFINITY].each do |deadline|
      error = assert_raises(Raffia::ConfigError) { Raffia::Workflow.new(deadline: deadline) }
      assert_equal("deadline must be seconds above 0, not #{deadline.inspect}", error.message)
    end
    [0, 1.5].each do |limit|
      error = assert_raises(Raffia::ConfigError) { Raffia::Workflow.new(limit: limit) }
      assert_equal("limit must be a whole number above 0, not #{limit}", error.message)
    end
  end

  def test_a_long_chain_is_no_cycle_until_its_end_waits_for_its_beginning
    chain = lambda do |w, first|
      1000.times { |n| w.job :"s#{n}", NoteJob, after: n.zero? ? first : :"s#{n - 1}" }
    end
    flow = Raffia::Workflow.new { |w| chain.call(w, []) }.start
    assert_equal([:active, :waiting], flow.states.values_at("s0", "s999"))
    assert_raises(Raffia::ConfigError) { Raffia::Workflow.new { |w| chain.call(w, :s999) }.start }
  end

  def test_results_that_cannot_be_kept_make_the_job_dead_at_once
    flows = BadResultJob::BAD.keys.to_h do |kind|
      [kind, Raffia::Workflow.new { |w| w.job :bad, BadResultJob, kind }.start]
    end
    work
    flows.each_value { |flow| await_state(flow, :failed) }
    found = @store.entries(:dead).map(&:item).to_h { |item| [item["args"].first, item] }
    assert_equal(%w[Raffia::Jobs::BadResult], found.values.map { |one| one["error_class"] }.uniq)
    messages = found.transform_values { |item| item["error_message"] }
    assert_match(/has 262145 bytes, the limit is 262144: keep the data elsewhere/, messages["large"])
    assert_match(/JSON would not give it back/, messages["symbol"])
    assert_match(/JSON would not give it back/, messages["time"])
    assert_match(/nesting of 101 is too deep/, messages["deep"])
    assert_equal(BadResultJob::BAD.keys.sort, found.keys.sort)
  end

  def test_an_each_over_what_is_no_list_is_dead_with_the_reason
    flows = [nil, "list", {"a" => 1}].map do |value|
      Raffia::Workflow.new do |w|
        w.job(:from, ReturnJob, value).each(:each, NoteJob, from: :from)
        w.job :after, NoteJob, after: :each, on_failure: :run
      end.start
    end
    work
    assert_equal([[]] * 3, [seen, seen, seen])
    flows.zip(%w[NilClass String Hash]) do |flow, kind|
      await_state(flow, :failed)
      assert_equal("the result of from is no list but #{kind}: return_value of its job must be " \
        "an Array", error_of(flow, "each"))
    end
  end

  def test_an_each_over_too_many_elements_is_dead_with_the_reason
    flow = Raffia::Workflow.new do |w|
      w.job(:from, ReturnJob, [0] * 100_001).each(:each, NoteJob, from: :from)
    end.start
    work
    await_state(flow, :failed)
    assert_equal("the result of from has 100001 elements, at most 100000 are allowed: hand over " \
      "slices of it", error_of(flow, "each"))
  end

  def test_arguments_that_become_too_large_or_too_deep_make_the_step_dead
    flow = Raffia::Workflow.new do |w|
      w.job :large, ReturnJob, "x" * 260_000
      w.job :sum, NoteJob, [w.result(:large)] * 65
      w.job :deep, ReturnJob, 20.times.reduce(1) { |value, _| [value] }
      w.job :deeper, NoteJob, 80.times.reduce(w.result(:deep)) { |value, _| [value] }
    end.start
    work
    await_state(flow, :failed)
    assert_match(/\Ajob \h+ \(.*NoteJob\) has 169\d+ bytes, the limit is 16777216: keep the data/,
      error_of(flow, "sum"))
    assert_match(/cannot be written as JSON: nesting of 101 is too deep/, error_of(flow, "deeper"))
  end

  def test_a_sub_workflow_whose_class_is_gone_is_dead_and_goes_on_when_it_is_back
    flow = OuterFlow.start
    inner = self.class.send(:remove_const, :InnerFlow)
    work
    await_state(flow, :failed)
    assert_equal({"inner" => :dead, "last" => :skipped}, flow.states)
    assert_match(/there is no workflow WorkflowErrorsTest::InnerFlow in this worker/, reason)
    self.class.const_set(:InnerFlow, inner)
    @store.requeue(@store.entries(:dead))
    assert_equal([[1], ["last"]], [seen, seen])
    await_state(flow, :done)
  ensure
    self.class.const_set(:InnerFlow, inner) unless self.class.const_defined?(:InnerFlow)
  end

  def test_a_sub_workflow_with_errors_is_dead_with_its_reason
    flows = %w[cycle argument].map { |kind| OuterFlow.start(kind) }
    work
    flows.each { |flow| await_state(flow, :failed) }
    reasons = @store.entries(:dead).map { |entry| entry.item["error_message"] }.sort
    assert_match(/argument 1 of .*NoteJob holds :symbol/, reasons[0])
    assert_match(/the steps one -> one/, reasons[1])
  end

  def test_a_workflow_in_itself_ends_where_its_id_becomes_too_long
    flow = EndlessFlow.start(id: "endless")
    work
    await_state(flow, :failed)
    assert_match(/cannot be the id of a workflow: use up to 200 letters, digits/, reason)
  end

  def test_no_more_jobs_run_than_the_limit_allows
    flow = Raffia::Workflow.new(limit: 2) { |w| 8.times { |n| w.job :"s#{n}", CountJob } }.start
    work(concurrency: 8)
    await_state(flow, :done)
    assert_operator(Array.new(8) { seen }.max, :<=, 2)
  end

  private

  def reason = @store.entries(:dead).first.item["error_message"]

  def error_of(flow, step)
    flow.status["nodes"].find { |node| node["name"] == step }["error"]
  end

  def await_state(flow, state)
    wait_until { flow.state == state }
  rescue Minitest::Assertion
    flunk("#{flow.status}\n#{@out.string}")
  end
end
