# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "raffia/pool/auto"

# Choices from given measurements: nothing is measured here.
class PoolAutoChoiceTest < Raffia::TestCase
  Auto = Raffia::Pool::Auto

  def choice(measured = {}, machine = {}, **costs)
    work = Auto::Measurement.new(items: 1, ruby: 0.0, left: 1000, **measured)
    Auto::Choice.of(work, Auto::Machine.new(processors: 2, **machine), Auto::Costs.new(**costs))
  end

  def chosen(...) = choice(...).then { |made| [made.on, made.workers] }

  def test_what_is_soon_done_stays
    assert_equal([:inline, 1], chosen({ruby: 1e-6}))
    assert_equal([:inline, 1], chosen({ruby: 0.01, left: 1}), "one item cannot be shared out")
    assert_equal([:inline, 1], chosen({wait: 0.01, left: 1}))
    assert_equal([:inline, 1], chosen({ruby: 0.01, left: 0}))
  end

  def test_ruby_code_goes_to_processes_one_for_each_core
    assert_equal([:processes, 2], chosen({ruby: 0.01}))
    assert_equal([:processes, 4], chosen({ruby: 0.01}, {processors: 8, cores: 4}))
  end

  def test_processes_are_started_one_after_the_other_unless_that_is_unwanted
    made = choice({ruby: 0.01}, {processors: 8, cores: 4})
    ramps = [Auto.new, Auto.new(ramp: false)].map do |auto|
      plan = Raffia::Pool::Plan.new(:map, ->(n) { n }, nil)
      auto.slots(plan, nil, Raffia::Pool::ChunkSize.new(nil, target: 0.1),
        Raffia::Pool::Options.new)
      auto.ramp(made)
    end
    assert_equal([Auto::RampUp, NilClass], ramps.map(&:class))
  end

  def test_c_code_without_the_lock_goes_to_threads
    assert_equal([:threads, 2], chosen({ruby: 0.001, free: 0.02}))
    assert_equal([:threads, 8], chosen({free: 0.02}, {processors: 8, cores: 4}),
      "for C code threads of one core count")
  end

  def test_many_waits_go_to_fibers_and_few_to_threads
    assert_equal([:fibers, 256], chosen({ruby: 1e-5, wait: 0.01}))
    assert_equal([:threads, 8], chosen({ruby: 1e-5, wait: 1.0, left: 8}),
      "a trial of fibers would cost an item")
  end

  def test_waits_of_fibers_that_are_known_to_block_go_to_threads
    assert_equal([:threads, 64], chosen({ruby: 1e-5, wait: 0.01, obstacles: {fibers: "no"}}))
  end

  def test_workers_follow_the_share_of_waiting
    assert_equal([:threads, 5], chosen({ruby: 0.002, wait: 0.008,
      obstacles: {fibers: "no", processes: "no"}}))
    assert_equal([:processes, 4], chosen({ruby: 0.005, wait: 0.005,
      obstacles: {fibers: "no", threads: "no"}}))
  end

  def test_a_call_that_blocks_and_keeps_the_lock_goes_to_processes
    assert_equal([:processes, 8], chosen({ruby: 1e-5, held: 0.01}))
  end

  def test_a_busy_machine_is_no_reason
    assert_equal([:inline, 1], chosen({ruby: 2e-5, held: 5e-5}))
    assert_equal(choice({ruby: 0.01}).on, choice({ruby: 0.01, held: 0.02}).on)
  end

  def test_large_results_stay
    assert_equal([:processes, 2], chosen({ruby: 0.005, bytes: 100}))
    assert_equal([:inline, 1], chosen({ruby: 0.005, bytes: 4_000_000, dump: 0.002}))
  end

  def test_a_large_process_is_dear_to_fork
    assert_equal(:processes, choice({ruby: 0.0005, left: 400}).on)
    assert_equal(:inline, choice({ruby: 0.0005, left: 400}, {memory: 4_000.0}).on)
  end

  def test_little_work_is_not_worth_a_fork
    assert_equal([:inline, 1], chosen({ruby: 0.001, left: 40}))
    assert_equal([:inline, 1], chosen({ruby: 8e-6, left: 5_000}))
    assert_equal([:processes, 2], chosen({ruby: 0.001, left: 200}))
  end

  def test_what_a_start_takes_here_counts_instead_of_a_guess
    assert_equal([:processes, 2], chosen({ruby: 0.001, left: 40}, {start: 0.004}))
    assert_equal([:inline, 1], chosen({ruby: 0.001, left: 200}, {start: 0.1}))
    assert_equal([:inline, 1], chosen({ruby: 0.05, left: 10}, {start: 0.2}))
    assert_equal([:inline, 1], chosen({ruby: 0.001, left: 200}, {start: 0.004, warmup: 0.1}))
  end

  def test_the_last_of_few_long_items_leave_no_core_idle
    assert_equal([:processes, 3], chosen({ruby: 0.2, left: 5}))
    assert_equal([:processes, 2], chosen({ruby: 0.2, left: 6}))
    assert_equal([:processes, 2], chosen({ruby: 0.2, left: 60}))
  end

  def test_obstacles_are_kept_and_the_next_best_is_taken
    made = choice({ruby: 0.01, obstacles: {processes: "a reason", ractors: "another"}})
    assert_equal(:inline, made.on)
    refute_includes(made.seconds, :processes)
  end

  def test_ractors_where_processes_cannot_be_had_and_only_with_a_jit
    without = {processes: "no fork"}
    assert_equal([:ractors, 2], chosen({ruby: 0.01, obstacles: without}, {jit: true}))
    assert_equal(:inline, choice({ruby: 0.01, obstacles: without}).on)
  end

  def test_without_a_lock_threads_run_ruby_code
    assert_equal([:threads, 2], chosen({ruby: 0.01,
      obstacles: {processes: "no fork", ractors: "none"}}, {lock: false}))
  end

  def test_the_users_numbers_hold
    assert_equal([:processes, 3], chosen({ruby: 0.01}, {wanted: 3}))
    assert_equal([:fibers, 10], chosen({wait: 0.01}, {most: 10}))
    assert_equal([:inline, 1], chosen({wait: 0.01}, {most: 1}))
  end

  def test_never_more_workers_than_items
    assert_equal([:threads, 3], chosen({wait: 1.0, left: 3}))
  end

  def test_inputs_without_a_known_end_are_taken_to_go_on
    assert_equal([:processes, 2], chosen({ruby: 0.01, left: nil}))
    assert_equal([:fibers, 100], chosen({wait: 0.01, left: nil}))
    assert_equal(:inline, choice({ruby: 1e-6, left: nil, done: 1_000}).on)
    assert_equal(:processes, choice({ruby: 1e-4, left: nil, done: 10_000}).on)
  end

  def test_it_does_not_hang_on_the_machine_that_it_runs_on
    assert_equal(choice({ruby: 0.01}), choice({ruby: 0.01}))
  end

  # --- in words

  def test_the_reasons
    made = choice({ruby: 0.009, free: 0.001, bytes: 27, left: 99,
      obstacles: {ractors: "they are an experiment"}}, {memory: 0.0})
    assert_equal(<<~TEXT, made.explain)
      raffia: on processes, 2 workers, for 99 items that are left (1 item done before, inline)
        an item takes 10 ms: 90% Ruby code, 10% C code without Ruby's lock, and 27 bytes to send
        inline     990 ms
        fibers     997 ms
        threads    891 ms
        processes  515 ms     chosen
        ractors    -          they are an experiment
    TEXT
    assert_equal(made.explain, made.to_s)
  end

  def test_the_reasons_when_nothing_is_left
    text = choice({items: 3, ruby: 0.00001, left: 0}).explain
    assert_equal(<<~TEXT, text)
      raffia: inline, for all of 3 items, before anything else was worth its start
        an item takes 10 us: 100% Ruby code
    TEXT
  end

  def test_the_reasons_without_a_known_end
    assert_match(
      /on fibers, 100 workers, for items without a known end, reckoned as 100 \(1 item done/,
      choice({wait: 0.01, left: nil}).explain
    )
  end
end
