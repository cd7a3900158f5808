# frozen_string_literal: true

require "test_helper"
require "raffia"

# Contract of duplex workers: frames both ways, unasked, and a death that names its item.
module DuplexWorkerContract
  # Greets, then answers each frame twice.
  def self.serve(transport)
    transport.write(transport.codec.dump("hello"))
    while (frame = transport.read)
      value = transport.codec.load(frame)
      2.times { transport.write(transport.codec.dump(value)) }
    end
  end

  def receive = @worker.codec.load(@worker.read)

  def send_value(value) = @worker.write(@worker.codec.dump(value))

  def test_frames_go_both_ways_unasked
    assert_equal("hello", receive)
    send_value([1, "two"])
    assert_equal([[1, "two"], [1, "two"]], [receive, receive])
  ensure
    @worker.close
  end

  def test_it_ends_when_it_is_closed
    assert_equal("hello", receive)
    reading = Thread.new { @worker.read }
    @worker.close
    assert_nil(reading.value)
    assert_instance_of(Raffia::WorkerDied, @worker.death { nil })
  end

  def test_an_interrupt_returns_its_level_and_the_death_its_item
    assert_equal("hello", receive)
    assert_equal(level, @worker.interrupt)
    assert_nil(@worker.read)
    died = @worker.death { "Mailer#deliver" }
    assert_equal("Mailer#deliver", died.item)
    assert_match(/it worked on Mailer#deliver/, died.message)
  end
end

class ProcessDuplexWorkerTest < Raffia::TestCase
  include DuplexWorkerContract

  def setup
    skip "this Ruby has no fork" unless Process.respond_to?(:fork)

    @worker = Raffia::Executor::Processes::DuplexWorker.new do |transport|
      DuplexWorkerContract.serve(transport)
    end
  end

  def level = :killed
end

class RactorDuplexWorkerTest < Raffia::TestCase
  include DuplexWorkerContract

  def setup
    skip "this Ruby has no Ractors" unless defined?(Ractor)

    @worker = Raffia::Executor::Ractors::DuplexWorker.new(DuplexWorkerContract)
  end

  def level = :abandoned
end
