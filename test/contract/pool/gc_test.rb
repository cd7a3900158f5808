# frozen_string_literal: true

require_relative "pool_contract"
require "raffia/executor/processes/payload_codec"

# The extension's share of the pools' work, while Ruby collects at each allocation and moves what it
# can.
class PoolGCTest < Raffia::TestCase
  LONG = 300_000

  def setup
    skip "needs the extension" unless Raffia::Native.respond_to?(:grow_heap)
  end

  def teardown
    GC.stress = false
    GC.auto_compact = false
  end

  def stressed
    GC.auto_compact = true
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end

  def compacted = GC.respond_to?(:compact) ? GC.compact : GC.start

  def test_strings_that_are_mapped
    here, there = Raffia::Process::SharedMemoryPayloads.pair
    skip "no payloads here" unless here
    long, wide = "ab" * LONG, "x" * LONG
    codecs = [here, there].map { Raffia::Executor::Processes::PayloadCodec.new(_1) }
    strings = stressed do
      codecs.last.load(codecs.first.dump([long, wide.dup.force_encoding("UTF-32LE")]))
    end
    compacted
    part = stressed { strings.first[LONG..] }
    frozen = Ractor.make_shareable(stressed { strings.first.dup })
    strings.first.setbyte(0, 65)
    stressed { strings.last << "\u{1}".encode("UTF-32LE") }
    compacted
    assert_equal(["A#{long[1..]}".hash, "#{wide}\1\0\0\0".b.hash],
      [strings.first.hash, strings.last.b.hash])
    assert_equal([long[LONG..].hash, long.hash], [part.hash, frozen.hash])
  ensure
    [here, there].each { |payloads| payloads&.close }
  end

  def test_the_mapping_is_there_for_forked_children
    here, there = Raffia::Process::SharedMemoryPayloads.pair
    skip "no payloads here" unless here
    here.send(["a" * LONG])
    string = there.receive.first
    child = fork do
      ::Process.exit!(string.tap { |own| own.setbyte(0, 66) && GC.start } == "B#{"a" * (LONG - 1)}")
    end
    assert_predicate(::Process.wait2(child).last, :success?)
    assert_equal("a" * LONG, string)
  ensure
    [here, there].each { |payloads| payloads&.close }
  end

  def test_trays_keep_what_they_hold
    mailbox = Raffia::Native::RactorMailbox.new
    20.times do |round|
      number = stressed { mailbox.put(Ractor.make_shareable(["text #{round}"])) }
      compacted
      assert_equal(["text #{round}"], stressed { mailbox.take(number) })
    end
  end

  def test_blocks_without_a_self
    captured = +"captured"
    copy = stressed { Raffia::Native.rebind_self(proc { |n| [self, captured, n] }, nil) }
    compacted
    assert_equal([nil, "captured", 1], stressed { copy.call(1) })
  end

  def test_heaps_that_are_filled
    made = stressed { Raffia::Native.grow_heap(100, 3) }
    compacted
    assert_equal([[]] * 100, made)
    assert(stressed { Raffia::Native.finish_sweep })
  end
end
