# frozen_string_literal: true

Simulations.of "task/channel", covers: %w[task/select task/waiter task/spin_lock] do
  # Parties with a log each: what they pushed or got.
  sender = lambda do |program, channel, name, count, timeout|
    lambda do
      count.times.map { |number| [name, number] }.select do |item|
        done = program.attempt(Raffia::TimeoutError, Raffia::Closed) do
          channel.push(item, timeout: timeout)
        end
        !done.is_a?(Raffia::Error)
      end
    end
  end

  ordered = lambda do |program, items|
    items.group_by(&:first).each_value do |own|
      program.check(own == own.sort, "items of one sender were reordered: #{own}")
    end
  end
  model "each item arrives once, in its sender's order", runs: 40 do
    channel = Raffia::Channel.new(one_of(0, 1, 2, nil))
    left = 2
    senders = 2.times.map do |name|
      lambda do
        sent = sender.call(self, channel, name, 3, nil).call
        channel.close if (left -= 1).zero?
        sent
      end
    end
    receivers = 2.times.map { -> { channel.each.to_a } }
    *sent, first, second = together(*senders, *receivers)
    check_equal(sent.flatten(1).sort, (first + second).sort, "items got")
    [first, second].each { |items| ordered.call(self, items) }
  end

  model "an item is in the channel exactly when its push returned", runs: 40 do
    channel = Raffia::Channel.new(one_of(0, 1, 2))
    timeout = one_of(0, 0.001, 0.002)
    senders = 2.times.map { |name| sender.call(self, channel, name, 3, timeout) }
    receivers = 2.times.map do
      lambda do
        3.times.filter_map do
          nap(pause(2))
          got = attempt(Raffia::TimeoutError, Raffia::Closed) { channel.pop(timeout: timeout) }
          got unless got.is_a?(Raffia::Error)
        end
      end
    end
    closer = lambda do
      nap(pause(6))
      channel.close
    end
    one, two, *got, _ = together(*senders, *receivers, closer)
    rest = channel.each.to_a
    check_equal((one + two).sort, (got.flatten(1) + rest).sort, "items got")
    [*got, rest].each { |items| ordered.call(self, items) }
  end

  model "a bounded channel never holds more than its capacity", runs: 20 do
    channel = Raffia::Channel.new(capacity = 1 + choose(2))
    most = 0
    senders = 3.times.map { -> { 2.times { channel.push(1) && most = [most, channel.size].max } } }
    receivers = 2.times.map do
      -> { 3.times { channel.pop && most = [most, channel.size].max } }
    end
    together(*senders, *receivers)
    check(most <= capacity, "#{most} items in a channel of #{capacity}")
    check(channel.empty?, "#{channel.size} items are left")
  end

  model "without capacity a push returns only after its pop", runs: 20 do
    channel = Raffia::Channel.new(0)
    pops = 0
    pusher = lambda do
      3.times do |number|
        channel.push(number)
        check(pops > number, "push #{number} returned before its pop began")
      end
    end
    popper = lambda do
      3.times.map do
        nap(pause)
        pops += 1
        channel.pop
      end
    end
    check_equal([0, 1, 2], together(pusher, popper).last, "items")
  end

  model "a single receiver gets all items in order of each sender", runs: 20 do
    channel = Raffia::Channel.new(one_of(0, 1, 3, nil))
    senders = 3.times.map { |name| sender.call(self, channel, name, 3, nil) }
    items = together(*senders, -> { 9.times.map { channel.pop } }).last
    check_equal(9, items.uniq.size, "different items")
    ordered.call(self, items)
  end

  model "a pop makes room for a push that waits", runs: 20 do
    channel = Raffia::Channel.new(1).push(0)
    pusher = -> { channel.push(1) }
    receiver = lambda do
      sim.sleep(0.001)
      channel.pop
      sim.sleep(0.001)
      check_equal(1, channel.size, "items")
    end
    seconds = elapsed { together(pusher, receiver) }
    check(same_time?(seconds, 0.002), "took #{seconds} s")
  end
end
