# frozen_string_literal: true

require "support/jobs_case"
require "raffia/jobs/worker/executors/class_profile"

class JobsWorkerAutoTest < TestSupport::JobsCase
  ClassProfile = Worker::Executors::ClassProfile
  # A measured run.
  Shown = Struct.new(:wall, :ruby, :free, :held) do
    def held? = held
  end

  class ShortJob
    include Raffia::Job

    options on: :auto

    def perform(seconds = 0)
      sleep(seconds)
      SEEN << run.on
    end

    SEEN = TestSupport::JobsCase::SEEN
  end

  class LongJob
    include Raffia::Job

    options on: :auto

    def perform(path)
      number = 0
      number += 1 while number < 10_000_000
      File.write(path, "#{::Process.pid}\n", mode: "a")
    end
  end

  def profile(*shown) = ClassProfile.new.tap { |profile| shown.each { |one| profile.learn(one) } }

  def test_it_begins_on_threads_and_is_measured
    profile = ClassProfile.new
    on, meter = profile.next_run
    assert_equal :threads, on
    assert meter
  end

  def test_what_waits_goes_to_fibers
    profile = profile(*[Shown.new(1.0, 0.001, 0.0)] * 3)
    assert_equal :fibers, profile.on
    assert_equal "1.0 ms of Ruby code a run, the rest is waiting", profile.why
    assert_includes [nil, Worker::Executors::Meter], profile.next_run.last&.class
  end

  def test_what_computes_goes_to_processes
    profile = profile(*[Shown.new(0.1, 0.09, 0.0)] * 3)
    assert_equal [:processes, "90.0 ms of Ruby code a run would keep the others here waiting"],
      [profile.on, profile.why]
  end

  # How many runs go by without a look.
  def unseen(profile)
    count = 0
    count += 1 until profile.next_run.last
    count
  end

  def test_what_is_in_processes_is_tried_anew_now_and_then
    profile = profile(*[Shown.new(0.1, 0.09, 0.0)] * 3)
    assert_equal 64, unseen(profile)
    3.times { profile.learn(Shown.new(0.1, 0.09, 0.0)) }
    assert_equal [:processes, 128], [profile.on, unseen(profile)]
    2.times { profile.learn(Shown.new(0.1, 0.001, 0.0)) }
    assert_equal [:processes, :threads], [profile.on, profile.next_run.first]
    profile.learn(Shown.new(0.1, 0.001, 0.0))
    assert_equal :fibers, profile.on
  end

  def test_what_computes_without_the_lock_stays_on_threads
    assert_equal :threads, profile(*[Shown.new(0.1, 0.001, 0.09)] * 3).on
  end

  def test_what_holds_up_the_loop_goes_back_to_threads
    profile = profile(*[Shown.new(0.1, 0.001, 0.0)] * 3)
    assert_equal :fibers, profile.on
    profile.learn(Shown.new(0.1, 0.001, 0.0, true))
    assert_equal :threads, profile.on
    assert_match(/holds up the loop/, profile.why)
  end

  def test_one_run_that_is_odd_changes_nothing
    profile = profile(*[Shown.new(0.1, 0.001, 0.0)] * 3)
    profile.learn(Shown.new(0.1, 0.03, 0.0))
    assert_equal :fibers, profile.on
  end

  def test_jobs_that_do_next_to_nothing_end_up_in_fibers
    GC.start # or it may come in the middle of one of these, and count
    handle = work
    3.times { ShortJob.perform_async }
    assert_equal %i[threads] * 3, Array.new(3) { seen }
    # On a busy machine one of these may have taken long, and more are looked at.
    wait_until { ShortJob.perform_async && seen == :fibers }
    assert_equal "fibers", handle.worker.account.dig(ShortJob.name, "on")
    wait_until { logged("auto").any? { |line| line["on"] == "fibers" } }
  end

  def test_jobs_that_compute_end_up_in_processes
    need_fork
    need_cruby "the measure of Ruby's lock"
    Dir.mktmpdir do |dir|
      path = File.join(dir, "pids")
      handle = work(processes: 1)
      3.times { LongJob.perform_async(path) }
      wait_until(60) { handle.worker.account.dig(LongJob.name, "on") == "processes" }
      LongJob.perform_async(path)
      wait_until(60) { File.readlines(path).size == 4 }
      pids = File.readlines(path, chomp: true)
      assert_equal [::Process.pid.to_s] * 3, pids.first(3)
      refute_equal ::Process.pid.to_s, pids.last
    end
  end
end
