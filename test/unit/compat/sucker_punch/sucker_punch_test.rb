# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

module Raffia
  # The interface of the gem sucker_punch, in subprocesses, because it defines a constant at the top
  # level.
  class CompatSuckerPunchTest < TestCase
    BEGINNING = <<~RUBY
      require "raffia/compat/sucker_punch"
      SuckerPunch.logger = nil
      DONE = Thread::Queue.new
      class Echo
        include SuckerPunch::Job
        def perform(*args, **named) = DONE.push(named.empty? ? args : [*args, named])
      end
    RUBY

    # A program of the gem's users, which does not know Raffia.
    PROGRAM = <<~RUBY
      require "sucker_punch"
      SuckerPunch.logger = nil

      class ReportJob
        include SuckerPunch::Job
        workers 1

        def perform(name, copies: 1) = copies.times { |n| puts "\#{name} \#{n + 1}" }
      end

      class FailingJob
        include SuckerPunch::Job
        def perform(reason) = raise(ArgumentError, reason)
      end

      SuckerPunch.exception_handler = ->(error, job, args) {
        puts "\#{job} \#{args}: \#{error.message}"
      }
      ReportJob.perform_async("weekly", copies: 2)
      SuckerPunch::Queue.wait
      FailingJob.perform_in(0.01, "no paper")
      sleep(0.01) until SuckerPunch::Counter::Failed.new("FailingJob").value == 1
      p SuckerPunch::Queue.stats["ReportJob"]["jobs"].values
      ReportJob.perform_async("last", copies: 1)
    RUBY
    PRINTED = "weekly 1\nweekly 2\nFailingJob [\"no paper\"]: no paper\n[1, 0, 0]\nlast 1\n"

    def test_a_program_runs_unchanged
      root = File.expand_path("../../../..", __dir__)
      Dir.mktmpdir do |dir|
        File.write(script = File.join(dir, "program.rb"), PROGRAM)
        assert_equal [PRINTED, ""],
          Open3.capture3(RbConfig.ruby, "-W0", "-I#{root}/lib", "-rraffia/compat", script).first(2)
        assert_equal [PRINTED, ""],
          Open3.capture3(RbConfig.ruby, "-W0", "-I#{root}/lib", "#{root}/exe/raffia", "run",
            "--compat", script).first(2)
      end
    end

    def test_jobs_get_the_very_arguments
      assert_equal "true\n[1, {two: 2}]\ntrue\n", output_of(BEGINNING + <<~RUBY)
        object = Object.new
        Echo.perform_async(object)
        p DONE.pop.first.equal?(object)
        Echo.perform_in(0, 1, two: 2)
        puts DONE.pop.inspect.sub(":two=>", "two: ")
        require "sucker_punch/async_syntax"
        Echo.new.async.perform(object)
        p DONE.pop.first.equal?(object)
      RUBY
    end

    def test_no_more_threads_than_workers_and_no_more_jobs_than_allowed
      assert_equal "2\nRaffia::Full\n[2, 2, 1]\nmine\n", output_of(BEGINNING + <<~RUBY)
        class Held
          include SuckerPunch::Job
          workers 2
          max_jobs 1
          def perform(gate)
            DONE.push(true)
            gate.pop
          end
        end
        gate = Thread::Queue.new
        2.times { Held.perform_async(gate) }
        2.times { DONE.pop }
        queue = SuckerPunch::Queue.find_or_create("Held")
        p queue.busy_workers
        Held.perform_async(gate)
        begin
          Held.perform_async(gate)
        rescue Raffia::Full => error
          p error.class
        end
        p [queue.total_workers, queue.max_length, queue.enqueued_jobs]
        module Concurrent
          class RejectedExecutionError < StandardError; end
        end
        begin
          Held.perform_async(gate)
        rescue Concurrent::RejectedExecutionError
          puts "mine"
        end
        3.times { gate.push(true) }
      RUBY
    end

    def test_subclasses_have_their_parents_settings
      assert_equal "[3, 5, 2, nil, 3]\nnil\n", output_of(BEGINNING + <<~RUBY)
        class Parent < Echo
          workers 3
          max_jobs 5
        end
        Child = Class.new(Parent)
        p [Child.num_workers, Child.num_jobs_max, Echo.num_workers, Echo.num_jobs_max,
          Child.new.num_workers]
        Child.max_jobs(nil)
        p Child.num_jobs_max
      RUBY
    end

    def test_the_process_waits_for_its_jobs_and_accepts_no_more
      assert_equal "nil\nbegun and ended\n", output_of(BEGINNING + <<~RUBY)
        class Slow
          include SuckerPunch::Job
          def perform
            DONE.push(true)
            sleep(0.01) until SuckerPunch::RUNNING.false?
            p Echo.perform_async
            print "begun and "
          end
        end
        class Next
          include SuckerPunch::Job
          def perform = puts("ended")
        end
        Slow.perform_async
        DONE.pop
        at_exit { SuckerPunch::Queue.wait; Next.new.perform }
        SuckerPunch::Queue.shutdown_all
      RUBY
    end

    def test_it_waits_no_longer_than_the_timeout
      assert_match(/killing remaining jobs/, output_of(BEGINNING + <<~RUBY))
        SuckerPunch.logger = Logger.new($stdout)
        SuckerPunch.shutdown_timeout = 0.1
        class Endless
          include SuckerPunch::Job
          def perform
            DONE.push(true)
            sleep
          end
        end
        Endless.perform_async
        DONE.pop
      RUBY
    end

    def test_errors_go_to_the_handler_or_to_the_log
      printed = output_of(BEGINNING + <<~RUBY)
        class Failing
          include SuckerPunch::Job
          def perform(*) = raise(NotImplementedError, "not yet")
        end
        SuckerPunch.logger = Logger.new($stdout)
        Failing.perform_async(7)
        SuckerPunch::Queue.wait
        SuckerPunch.exception_handler = ->(*told) { p told }
        Failing.perform_async(8)
        SuckerPunch::Queue.wait
        p SuckerPunch::Queue.stats["Failing"]["jobs"]["failed"]
      RUBY
      assert_match(
        /Sucker Punch job error for class: 'Failing' args: \[7\]\nNotImplementedError not yet\n/,
        printed
      )
      assert_match(/\[#<NotImplementedError: not yet>, Failing, \[8\]\]\n2\n\z/, printed)
    end

    def test_a_failing_handler_and_its_error_are_logged
      printed = output_of(BEGINNING + <<~RUBY)
        class Failing
          include SuckerPunch::Job
          def perform = raise("of the job")
        end
        SuckerPunch.logger = Logger.new($stdout)
        SuckerPunch.exception_handler = ->(error, job) { p "takes too few" }
        Failing.perform_async
        SuckerPunch::Queue.wait
        p SuckerPunch::Queue.stats["Failing"]["jobs"]["failed"]
      RUBY
      assert_match(
        /RuntimeError of the job.*the exception handler failed:.*wrong number of arguments.*^1$/m,
        printed
      )
    end

    def test_the_callers_deadline_does_not_apply_to_the_job
      assert_equal "[60, nil]\n", output_of(BEGINNING + <<~RUBY)
        class Asks
          include SuckerPunch::Job
          def perform(limit) = DONE.push([limit, Raffia.deadline])
        end
        Raffia.timeout(60) { Asks.perform_async(Raffia.deadline.limit) }
        p DONE.pop
      RUBY
    end

    def test_a_queue_that_is_cleared_during_a_job_starts_idle
      assert_equal "[0, 0, true]\n", output_of(BEGINNING + <<~RUBY)
        class Held
          include SuckerPunch::Job
          def perform(gate)
            DONE.push(:begun)
            gate.pop
          ensure
            DONE.push(:ended)
          end
        end
        Held.perform_async(Thread::Queue.new)
        DONE.pop
        SuckerPunch::Queue.clear
        DONE.pop
        Held.perform_async(gate = Thread::Queue.new.push(1))
        sleep(0.01) until SuckerPunch::Counter::Processed.new("Held").value == 1
        SuckerPunch::Queue.wait
        queue = SuckerPunch::Queue.find_or_create("Held")
        p [queue.busy_workers, queue.enqueued_jobs, queue.idle?]
      RUBY
    end

    def test_testing_records_jobs_and_inline_runs_them
      assert_equal "[{args: [1]}, {args: [2], in: 60}]\n0\n", output_of(BEGINNING + <<~RUBY)
        require "sucker_punch/testing"
        Echo.perform_async(1)
        Echo.perform_in(60, 2)
        first, second = Echo.jobs
        puts "[{args: \#{first["args"]}}, {args: \#{second["args"]}, in: \#{second["in"]}}]"
        SuckerPunch::Job.clear_all
        p Echo.jobs.size
      RUBY
      assert_equal "[1]\n:done\n", output_of(<<~RUBY)
        require "raffia/compat/sucker_punch"
        require "sucker_punch/testing/inline"
        class Now
          include SuckerPunch::Job
          def perform(*args)
            p args
            :done
          end
        end
        Now.perform_in(60, 1).then { |value| p value }
      RUBY
    end

    def test_a_forked_child_has_threads_of_its_own
      need_fork
      assert_equal "[0, 0]\nchild\nparent\n", output_of(BEGINNING + <<~RUBY)
        class Held
          include SuckerPunch::Job
          def perform(gate)
            DONE.push(true)
            gate.pop
          end
        end
        Held.perform_async(gate = Thread::Queue.new)
        DONE.pop
        Process.wait(fork do
          held = SuckerPunch::Queue.find_or_create("Held")
          p [held.busy_workers, held.enqueued_jobs]
          Echo.perform_async("child")
          puts DONE.pop
        end)
        gate.push(true)
        Echo.perform_async("parent")
        puts DONE.pop
      RUBY
    end
  end
end
