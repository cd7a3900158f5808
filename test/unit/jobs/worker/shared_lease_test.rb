# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerSharedLeaseTest < TestSupport::JobsCase
  def setup
    super
    @lease = Worker::SharedLease.new(2)
  end

  def test_a_lease_that_was_granted_and_given_back
    assert_equal(0, @lease.token)
    @lease.lease = Jobs::Lease.new(identity: "a", token: 7, ttl: 1.5)
    assert_equal([7, 1.5], [@lease.token, @lease.ttl])
    assert_in_delta(Raffia::Clock.now, @lease.renewed_at, 5)
    @lease.clear
    assert_equal(0, @lease.token)
  end

  def test_jobs_count_as_begun_from_their_beginning_to_their_end
    first, second = @lease.reserve([1, 2]), @lease.reserve([3, 4])
    assert_empty(@lease.begun)
    @lease.begin(second)
    assert_equal([[3, 4]], @lease.begun)
    @lease.begin(first)
    @lease.release(second)
    assert_equal([[1, 2]], @lease.begun)
    assert_equal(second, @lease.reserve([5, 6]))
  end

  def test_there_are_no_more_slots_than_jobs_at_a_time
    2.times { |number| @lease.reserve([number, 0]) }
    assert_raises(Jobs::Error) { @lease.reserve([2, 0]) }
  end

  def test_an_interrupted_worker_stays_so
    refute(@lease.stopping?)
    @lease.mark_interrupting
    @lease.mark_stopping
    assert(@lease.stopping? && @lease.interrupting?)
  end

  def test_a_process_shares_it
    need_fork
    slot = @lease.reserve([1, 2])
    Process.wait(fork { @lease.begin(slot) && exit!(0) })
    assert_equal([[1, 2]], @lease.begun)
  end
end
