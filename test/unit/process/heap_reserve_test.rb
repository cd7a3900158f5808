# frozen_string_literal: true

require "test_helper"
require "raffia/process"

class ProcessHeadroomTest < Raffia::TestCase
  def collections
    before = GC.count
    yield
    GC.count - before
  end

  def test_it_is_made_once_and_only_for_who_collects
    headroom = Raffia::Process::HeapReserve.new
    refute(headroom.call)
    Raffia::Process::HeapReserve::COLLECTIONS.times { GC.start(full_mark: false) }
    assert(headroom.call)
    Raffia::Process::HeapReserve::COLLECTIONS.times { GC.start(full_mark: false) }
    refute(headroom.call)
  end

  def test_a_collector_that_was_switched_off_stays_off
    headroom = Raffia::Process::HeapReserve.new
    Raffia::Process::HeapReserve::COLLECTIONS.times { GC.start(full_mark: false) }
    GC.disable
    assert(headroom.call)
    assert(GC.disable, "it was switched on")
  ensure
    GC.enable
  end

  # Counts, in fresh programs whose heaps were compacted: the reserve is for these. How much that
  # leaves free is chance, and depends on how many objects live; so some programs keep more of them
  # than others.
  def test_fewer_collections
    counts = Array.new(10) do |thousands|
      output_of(<<~RUBY).split
        require "raffia/process"
        kept = Array.new(#{thousands * 1000}) { Object.new }
        Process.warmup
        headroom = Raffia::Process::HeapReserve.new
        collections = lambda do
          before = GC.count
          200_000.times { Object.new }
          GC.count - before
        end
        print collections.call, " ", headroom.call, " ", collections.call, " ", kept.size
      RUBY
    end
    assert_equal(["true"], counts.map { |_, made, _| made }.uniq)
    assert_operator(counts.sum { |_, _, after| after.to_i }, :<,
      counts.sum { |before,| before.to_i })
  end
end
