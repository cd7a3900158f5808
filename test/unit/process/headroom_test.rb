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
    headroom = Raffia::Process::Headroom.new
    refute(headroom.call)
    Raffia::Process::Headroom::COLLECTIONS.times { GC.start(full_mark: false) }
    assert(headroom.call)
    Raffia::Process::Headroom::COLLECTIONS.times { GC.start(full_mark: false) }
    refute(headroom.call)
  end

  def test_a_collector_that_was_switched_off_stays_off
    headroom = Raffia::Process::Headroom.new
    Raffia::Process::Headroom::COLLECTIONS.times { GC.start(full_mark: false) }
    GC.disable
    assert(headroom.call)
    assert(GC.disable, "it was switched on")
  ensure
    GC.enable
  end

  # A count, in a fresh program whose heap was compacted: what the room is for.
  def test_fewer_collections
    script = <<~RUBY
      require "raffia/process"
      Process.warmup
      headroom = Raffia::Process::Headroom.new
      collections = lambda do
        before = GC.count
        200_000.times { Object.new }
        GC.count - before
      end
      print collections.call, " ", headroom.call, " ", collections.call
    RUBY
    before, made, after = output_of(script).split
    assert_equal("true", made)
    assert_operator(after.to_i, :<, before.to_i)
  end
end
