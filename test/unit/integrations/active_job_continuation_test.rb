# frozen_string_literal: true

require "support/jobs_case"

if Gem::Specification.find_all_by_name("activejob", ">= 8.1").empty?
  class ActiveJobContinuationTest < Raffia::TestCase
    def test_steps = skip("the gem activejob 8.1 is not installed (bin/setup --server)")
  end
else
  require "active_job"
  require "active_job/continuable"
  require "active_job/queue_adapters/raffia_adapter"

  # Active Jobs with steps (Rails' own Continuable): progress outlives interruptions, errors, and
  # workers that die.
  class ActiveJobContinuationTest < TestSupport::JobsCase
    SEEN = TestSupport::JobsCase::SEEN
    GATE = Thread::Queue.new

    class Base < ActiveJob::Base
      include ActiveJob::Continuable

      self.logger = ::Logger.new(nil)
      self.queue_adapter = :raffia
    end

    class CountJob < Base
      def perform
        step(:first) { SEEN << [:first, resumptions] }
        step(:count, start: 0) do |step|
          while step.cursor < 4
            SEEN << [:count, step.cursor]
            GATE.pop if step.cursor == 2
            step.advance!
          end
        end
        step(:last) { SEEN << [:last, resumptions] }
      end
    end

    class FailingJob < Base
      self.resume_errors_after_advancing = false
      raffia_options retry: 1

      def perform
        step(:first) { SEEN << [:first] }
        step(:second) { |step| count(step) }
      end

      def count(step)
        SEEN << [step.cursor]
        step.set!(7)
        raise "once" unless step.resumed?
      end
    end

    class IsolatedJob < Base
      def perform
        step(:first) { SEEN << [:first, provider_job_id] }
        step(:second, isolated: true) { SEEN << [:second, provider_job_id] }
      end
    end

    class MovedJob < IsolatedJob
      self.resume_options = {queue: :other, wait: 0}
    end

    # Waits for nothing, so that only a checkpoint ends it.
    class BusyJob < Base
      raffia_options on: :threads

      def perform
        step(:first) { SEEN << :first }
        step(:count, start: 0) { |step| loop { step.advance! } }
      end
    end

    class TwiceJob < Base
      raffia_options retry: 0

      def perform
        step(:one) { SEEN << 1 }
        step(:one) { SEEN << 2 }
      end
    end

    class LimitedJob < IsolatedJob
      self.max_resumptions = 0
      raffia_options retry: 0
    end

    def setup
      super
      GATE.clear
    end

    def test_a_job_whose_worker_stops_goes_back_to_its_queue_and_goes_on
      id = CountJob.perform_later.provider_job_id
      handle = work
      assert_equal([[:first, 0], [:count, 0], [:count, 1], [:count, 2]], Array.new(4) { seen })
      stopping = Thread.new { handle.stop }
      wait_until { handle.worker.stopping? }
      GATE << 1
      stopping.join
      assert_equal(1, @store.counts[:queue])
      assert_equal([id], @store.entries(:queue).map(&:jid))
      assert_equal(0, @store.counts[:scheduled])
      work
      assert_equal([[:count, 3], [:last, 1]], Array.new(2) { seen })
      await_counts(queue: 0, running: 0, scheduled: 0, retry: 0)
      assert_nil(@store.read("continuation:#{id}"))
    end

    def test_a_job_that_is_cancelled_ends_at_its_next_checkpoint
      id = BusyJob.perform_later.provider_job_id
      handle = work
      assert_equal(:first, seen)
      assert(handle.worker.cancel(id))
      await_counts(queue: 0, running: 0, scheduled: 0, retry: 0, dead: 0)
      assert_predicate(SEEN, :empty?)
      assert_nil(@store.read("continuation:#{id}"))
    end

    # A worker that is killed: test/integration/jobs/active_job_steps_test.rb
    def test_steps_are_saved_before_the_next_one
      id = CountJob.perform_later.provider_job_id
      work
      assert_equal([[:first, 0], [:count, 0], [:count, 1], [:count, 2]], Array.new(4) { seen })
      saved = JSON.parse(@store.read("continuation:#{id}"))
      assert_equal({"completed" => ["first"]}, saved["continuation"])
      # Another worker takes it from a dead one: a run of the same job from its stored progress.
      run = Struct.new(:store, :jid).new(@store, id)
      other = Raffia::Integrations::ActiveJob::Continuation.of({"continuation" => {}}, run)
      data = other.resume({"continuation" => {}, "resumptions" => 0})
      assert_equal(["first"], data.dig("continuation", "completed"))
      GATE << 1
      assert_equal([[:count, 3], [:last, 0]], Array.new(2) { seen })
    end

    def test_a_job_that_fails_goes_on_where_it_was
      FailingJob.perform_later
      work
      assert_equal([[:first], [nil]], [seen, seen])
      wait_until { @store.requeue(@store.entries(:retry)) == 1 }
      assert_equal([7], seen)
      await_counts(queue: 0, running: 0, retry: 0, dead: 0)
    end

    def test_an_isolated_step_has_a_run_of_its_own
      id = IsolatedJob.perform_later.provider_job_id
      work
      assert_equal([[:first, id], [:second, id]], [seen, seen])
      await_counts(queue: 0, running: 0, scheduled: 0)
    end

    def test_a_job_that_is_resumed_with_options_is_enqueued_anew
      id = MovedJob.perform_later.provider_job_id
      work(queues: %w[default other])
      assert_equal([:first, id], seen)
      name, other = seen
      assert_equal(:second, name)
      refute_equal(id, other)
      await_counts(queue: 0, running: 0, scheduled: 0)
    end

    def test_a_step_name_twice_is_a_dead_job_with_its_reason
      TwiceJob.perform_later
      work
      assert_equal(1, seen)
      await_counts(dead: 1)
      assert_equal(["ActiveJob::Continuation::InvalidStepError",
        "Step 'one' has already been encountered"],
        only(:dead).values_at("error_class", "error_message"))
    end

    def test_the_limit_of_resumptions_is_kept
      LimitedJob.perform_later
      work
      assert_equal(:first, seen.first)
      await_counts(dead: 1, queue: 0)
      assert_equal("ActiveJob::Continuation::ResumeLimitError", only(:dead)["error_class"])
    end

    def test_cursors_are_saved_every_five_seconds
      run = Struct.new(:store, :jid).new(@store, "abc")
      made = Raffia::Integrations::ActiveJob::Continuation.of({"continuation" => {}, "job_id" => "j"},
        run)
      job = CountJob.new
      job.job_id = "j"
      made.follow(job)
      made.checkpoint
      assert_nil(@store.read("continuation:abc"))
      made.instance_variable_set(:@saved_at, Raffia::Clock.now - 6)
      made.checkpoint
      assert(@store.read("continuation:abc"))
      made.clear
      assert_nil(@store.read("continuation:abc"))
    end
  end
end
