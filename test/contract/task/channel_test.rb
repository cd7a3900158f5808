# frozen_string_literal: true

require_relative "task_case"

module TaskChannelSuite
  def test_items_come_out_in_order
    [0, 1, 3, nil].each do |capacity|
      in_scope do |scope|
        channel = Raffia::Channel.new(capacity)
        scope.spawn do
          10.times { |i| channel << i }
          channel.close
        end
        assert_equal (0...10).to_a, channel.to_a, "capacity #{capacity.inspect}"
      end
    end
  end

  def test_a_full_channel_makes_the_producer_wait
    in_scope do |scope|
      channel = Raffia::Channel.new(2)
      pushed = []
      scope.spawn { 5.times { |i| channel.push(i) && pushed << i } }
      assert_equal [0, 1], pushed
      assert_equal 2, channel.size
      assert_equal 0, channel.pop
      settle { pushed == [0, 1, 2] }
      assert_equal 2, channel.size
      assert_equal [1, 2, 3, 4], Array.new(4) { channel.pop }
    end
  end

  def test_a_rendezvous_waits_for_its_partner
    in_scope do |scope|
      channel = Raffia::Channel.new
      push = scope.spawn { channel << :item }
      assert_predicate push, :alive?
      assert_predicate channel, :empty?
      assert_equal :item, channel.pop
      assert_same channel, push.value
    end
  end

  # They wait in the lines of several channels, and were served through others.
  def test_parties_that_have_left_the_line_are_skipped
    in_scope do |scope|
      others = Array.new(3) { Raffia::Channel.new }
      channel = Raffia::Channel.new
      takers = others.map do |other|
        scope.spawn { Raffia.select { |on| on.pop(other) && on.pop(channel) } }
      end
      last = scope.spawn { channel.pop }
      others.each { |other| other.push(:other, timeout: 0) }
      channel.push(:item, timeout: 0)
      assert_equal [:item, *[:other] * 3], [last.value, *takers.map(&:value)]

      givers = others.map do |other|
        scope.spawn { Raffia.select { |on| on.push(other, :other) && on.push(channel, :late) } }
      end
      last = scope.spawn { channel.push(:item) }
      assert_equal [:other] * 3, others.map { |other| other.pop(timeout: 0) }
      assert_equal :item, channel.pop(timeout: 0)
      [last, *givers].each(&:join)
      assert_raises(Raffia::TimeoutError) { channel.pop(timeout: 0) }
    end
  end

  def test_waiting_parties_are_served_in_order
    in_scope do |scope|
      channel = Raffia::Channel.new
      got = []
      3.times { |i| scope.spawn { got << [i, channel.pop] } }
      3.times { |i| channel << i }
      settle { got.size == 3 }
      assert_equal [[0, 0], [1, 1], [2, 2]], got.sort
    end
  end

  def test_timeouts
    in_scope do
      channel = Raffia::Channel.new(1)
      [0, 0.001].each do |seconds|
        assert_equal seconds, assert_raises(Raffia::TimeoutError) { channel.pop(timeout: seconds) }
          .seconds
      end
      channel << 1
      [0, 0.001].each do |seconds|
        assert_raises(Raffia::TimeoutError) { channel.push(2, timeout: seconds) }
      end
      assert_equal 1, channel.pop(timeout: 0)
      assert_predicate channel, :empty?
      assert_raises(Raffia::ConfigError) { channel.pop(timeout: -1) }
      assert_raises(Raffia::ConfigError) { channel.push(1, timeout: "1") }
    end
  end

  def test_closed_channels_still_deliver_their_items
    in_scope do
      channel = Raffia::Channel.new(2) << 1 << 2
      assert_same channel, channel.close.close
      assert_predicate channel, :closed?
      assert_raises(Raffia::Closed) { channel << 3 }
      assert_equal [1, 2], channel.each.to_a
      assert_raises(Raffia::Closed) { channel.pop }
      assert_raises(Raffia::Closed) { channel.pop(timeout: 1) }
    end
  end

  def test_close_fails_waiting_parties
    in_scope do |scope|
      channel = Raffia::Channel.new
      pops = Array.new(2) { scope.spawn { assert_raises(Raffia::Closed) { channel.pop } } }
      full = Raffia::Channel.new(1) << 0
      pushes = Array.new(2) { scope.spawn { assert_raises(Raffia::Closed) { full << 1 } } }
      [channel, full].each(&:close)
      (pops + pushes).each(&:value)
      assert_equal [0], full.to_a
    end
  end

  # The item has been handed over, but its receiver is cancelled before it runs.
  def test_a_cancelled_receiver_does_not_lose_the_item
    [0, 1].each do |capacity|
      in_scope do |scope|
        channel = Raffia::Channel.new(capacity)
        got = nil
        task = scope.spawn { got = channel.pop }
        channel << :item
        task.cancel
        task.join
        found = got || channel.pop(timeout: 0)
        assert_equal :item, found
      end
    end
  end

  # Like above, but the interruption comes from elsewhere and not through the task, so it cannot be
  # put off: it meets this wait, and the item is given back, or the next one.
  def test_an_interrupted_receiver_gives_the_item_back
    skip "fiber_interrupt is what interrupts here" if scheduler_name == :plain
    boom = Class.new(StandardError)
    in_scope do |scope|
      channel = Raffia::Channel.new
      fiber = got = nil
      receiver = scope.spawn do
        fiber = Fiber.current
        assert_raises(boom) { (got = channel.pop) && sleep }
      end
      Fiber.scheduler.fiber_interrupt(fiber, boom.new)
      channel.push(:first, timeout: 1)
      receiver.value
      assert_equal :first, got || channel.pop(timeout: 0)
    end
  rescue Raffia::TimeoutError
    # The interruption came first, so no receiver was there for the item.
  end

  def test_a_cancelled_sender_takes_its_item_along
    in_scope do |scope|
      channel = Raffia::Channel.new
      task = scope.spawn { channel << :item }
      task.cancel
      task.join
      assert_raises(Raffia::TimeoutError) { channel.pop(timeout: 0) }
    end
  end

  def test_a_timed_out_pop_is_not_served
    in_scope do |scope|
      channel = Raffia::Channel.new
      scope.spawn { assert_raises(Raffia::TimeoutError) { channel.pop(timeout: 0.001) } }.join
      push = scope.spawn { channel << :item }
      assert_predicate push, :alive?
      assert_equal :item, channel.pop
    end
  end

  def test_nil_and_false_are_items
    in_scope do
      channel = Raffia::Channel.new(nil) << nil << false
      assert_equal [nil, false], channel.close.to_a
    end
  end

  def test_each_hands_on_the_errors_of_its_block
    in_scope do
      channel = Raffia::Channel.new(1) << 1
      assert_raises(Raffia::Closed) { channel.each { raise Raffia::Closed, "another one" } }
    end
  end

  # A loop inside must not take it for its own end.
  def test_stop_iteration_is_handed_on
    in_scope do
      channel = Raffia::Channel.new(2) << 1 << 2
      assert_raises(StopIteration) { channel.each { raise StopIteration } }
      assert_raises(StopIteration) do
        Raffia.select { |on| on.pop(channel) { raise StopIteration } }
      end
    end
  end

  def test_it_is_enumerable
    in_scope do |scope|
      channel = Raffia::Channel.new
      scope.spawn { 10.times { |i| channel << i } && channel.close }
      assert_equal [0, 1], channel.first(2)
      assert_equal [4, 6, 8], channel.lazy.map { |i| i * 2 }.first(3)
      assert_equal [5, 6, 7, 8, 9], channel.to_a
    end
  end

  def test_bad_capacity
    [-1, 1.5, "1"].each do |capacity|
      assert_raises(Raffia::ConfigError) { Raffia::Channel.new(capacity) }
    end
  end

  def test_between_fibers_and_threads
    in_scope do |scope|
      there = Raffia::Channel.new
      back = Raffia::Channel.new(2)
      thread = Thread.new { there.each { |i| back << (i * 2) } && back.close }
      scope.spawn { 50.times { |i| there << i } && there.close }
      assert_equal Array.new(50) { |i| i * 2 }, back.to_a
      thread.join
    end
  end

  def test_select_takes_the_first_clause_that_is_ready
    in_scope do
      one = Raffia::Channel.new(1) << 1
      two = Raffia::Channel.new(1) << 2
      choose = -> {
        Raffia.select do |on|
          on.pop(one) { |item| [:one, item] } && on.pop(two) { |item| [:two, item] }
        end
      }
      assert_equal [:one, 1], choose.call
      assert_equal [:two, 2], choose.call
    end
  end

  def test_select_waits_for_any
    in_scope do |scope|
      one = Raffia::Channel.new
      two = Raffia::Channel.new
      task = scope.spawn { Raffia.select { |on| on.pop(one) && on.pop(two) } }
      assert_predicate task, :alive?
      two << :item
      assert_equal :item, task.value
      # The select has left the other channel.
      assert_raises(Raffia::TimeoutError) { one.push(1, timeout: 0) }
    end
  end

  def test_select_pushes
    in_scope do |scope|
      one = Raffia::Channel.new
      two = Raffia::Channel.new
      task = scope.spawn { Raffia.select { |on| on.push(one, 1) { :pushed } && on.pop(two) } }
      assert_equal 1, one.pop
      assert_equal :pushed, task.value
      task = scope.spawn { Raffia.select { |on| on.push(one, 2) } }
      assert_equal 2, one.pop
      assert_same one, task.value
    end
  end

  def test_two_selects_meet
    in_scope do |scope|
      one = Raffia::Channel.new
      two = Raffia::Channel.new
      first = scope.spawn do
        Raffia.select { |on| on.pop(one) && on.push(two, :from_first) { :sent } }
      end
      second = scope.spawn do
        Raffia.select { |on| on.pop(two) && on.push(one, :from_second) { :sent } }
      end
      assert_includes [[:sent, :from_first], [:from_second, :sent]], [first.value, second.value]
    end
  end

  def test_select_times_out
    in_scope do
      channel = Raffia::Channel.new
      assert_raises(Raffia::TimeoutError) { Raffia.select(timeout: 0) { |on| on.pop(channel) } }
      late = Raffia.select(timeout: 0.001) { |on| on.pop(channel) && on.timeout { :late } }
      assert_equal :late, late
    end
  end

  def test_select_passes_over_closed_channels
    in_scope do |scope|
      closed = Raffia::Channel.new.close
      open = Raffia::Channel.new
      task = scope.spawn { Raffia.select { |on| on.pop(closed) && on.pop(open) } }
      open << 1
      assert_equal 1, task.value
      task = scope.spawn do
        assert_raises(Raffia::Closed) { Raffia.select { |on| on.pop(closed) && on.pop(open) } }
      end
      open.close
      task.value
      assert_raises(Raffia::Closed) { Raffia.select { |on| on.push(closed, 1) } }
    end
  end

  def test_select_on_one_channel_twice
    in_scope do |scope|
      channel = Raffia::Channel.new
      task = scope.spawn do
        Raffia.select { |on| on.pop(channel) && on.push(channel, 1) { :pushed } }
      end
      assert_predicate task, :alive?
      channel << :item
      assert_equal :item, task.value
    end
  end

  def test_select_needs_a_clause
    assert_raises(Raffia::ConfigError) { Raffia.select { |on| on.timeout {} } }
  end

  # Tasks and threads push, pop, select, time out and are cancelled at random. Each item that was
  # taken in comes out once.
  def test_nothing_is_lost_or_doubled
    3.times do |round|
      seed = Minitest.seed + round
      taken, lost, doubled = storm(Random.new(seed))
      assert_empty lost, "seed #{seed}: lost of #{taken}"
      assert_empty doubled, "seed #{seed}: came out twice, of #{taken}"
    end
  end

  def storm(random)
    channels = [0, 1, 3].map { |capacity| Raffia::Channel.new(capacity) }
    pushed = Thread::Queue.new
    popped = Thread::Queue.new
    in_scope do |scope|
      threads = Array.new(2) do |n|
        thread_storm(Random.new(random.seed + n), channels, pushed, popped)
      end
      120.times do |n|
        task = scope.spawn do
          if random.rand(2).zero?
            send_some(random, channels, n, pushed)
          else
            receive_some(random, channels, popped)
          end
        end
        sleep(0) if random.rand(3).zero?
        task.cancel if random.rand(3).zero?
      end
      settle { threads.none?(&:alive?) && (scope.size.zero? || drain(channels, popped)) }
      scope.cancel
    end
    drain(channels.each(&:close), popped)
    came = Array.new(popped.size) { popped.pop }
    certain = Array.new(pushed.size) { pushed.pop }
    [certain.size, certain - came, came.tally.select { |_, times| times > 1 }.keys]
  end

  def send_some(random, channels, name, pushed)
    5.times do |i|
      item = [name, i]
      channel = channels.sample(random: random)
      if random.rand(2).zero? then channel.push(item, timeout: random.rand(3) * 0.001)
      else Raffia.select(timeout: 0.001) { |on| channels.each { |other| on.push(other, item) } }
      end
      pushed << item
    rescue Raffia::TimeoutError
      next
    end
  end

  def receive_some(random, channels, popped)
    5.times do
      if random.rand(2).zero? then popped <<
        channels.sample(random: random).pop(timeout: random.rand(3) * 0.001)
      else Raffia.select(timeout: 0.001) do |on|
        channels.each { |other| on.pop(other) { |item| popped << item } }
      end
      end
    rescue Raffia::TimeoutError
      next
    end
  end

  def thread_storm(random, channels, pushed, popped)
    Thread.new do
      10.times do |n|
        send_some(random, channels, [:thread, random.seed, n], pushed)
        receive_some(random, channels, popped)
      end
    end
  end

  def drain(channels, popped)
    channels.each do |channel|
      loop { popped << channel.pop(timeout: 0) }
    rescue
      nil
    end # standard:disable Style/RescueModifier
    false
  end
end

TaskCase.run(TaskChannelSuite)
