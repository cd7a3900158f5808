# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerAckBatcherTest < TestSupport::JobsCase
  Store = Struct.new(:batches) do
    def ack(claims) = batches.push(claims.map(&:name)) && claims.map { true }
  end
  Lease = Data.define(:token)
  Claim = Data.define(:name, :lease) do
    def key = [name, 0]

    def queue = "default"
  end
  Heartbeat = Struct.new(:lease) do
    def lost?(lease) = lease != self.lease
  end

  def setup
    super
    @acked = Store.new([])
    @lease = Lease.new(1)
  end

  def test_what_has_ended_since_the_last_call_goes_in_one
    acks = batcher
    3.times { |number| acks.push(Claim.new(number, @lease)) }
    assert_equal([[0, 0], [1, 0], [2, 0]], acks.pending)
    flush(acks)
    assert_equal([[0, 1, 2]], @acked.batches)
    assert_empty(acks.pending)
  end

  def test_a_batch_has_claims_of_one_lease
    acks = batcher
    acks.push(Claim.new(0, Lease.new(0)))
    2.times { |number| acks.push(Claim.new(number + 1, @lease)) }
    flush(acks)
    assert_equal([[0], [1, 2]], @acked.batches)
  end

  def test_nothing_to_flush_takes_no_time
    assert(batcher.flush(0))
  end

  private

  def batcher
    logger = Worker::JobLogger.new(@log, Raffia::Instrument.new)
    Worker::AckBatcher.new(@acked, Heartbeat.new(@lease), Worker::Backoff.new(@log), logger)
  end

  def flush(acks)
    Raffia.run do |scope|
      task = scope.spawn { acks.run }
      assert(acks.flush(5))
      task.cancel(:stop)
    end
  end
end
