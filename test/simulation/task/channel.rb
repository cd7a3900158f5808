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

  model "cancelled pops lose nothing, cancelled pushes deliver at most once", runs: 60 do
    channel = Raffia::Channel.new(one_of(0, 1, 2))
    got = []
    returned = []
    Raffia.run do |scope|
      poppers = 3.times.map { scope.spawn { loop { got << channel.pop } } }
      pushers = 3.times.map do |name|
        scope.spawn do
          3.times do |number|
            channel.push([name, number])
            returned << [name, number]
          end
        end
      end
      victims = (poppers + pushers).select { choose(2).zero? }
      breaker = lambda do
        victims.each do |task|
          nap(pause(1))
          task.cancel
        end
      end
      thread = Thread.new(&breaker) if choose(2).zero?
      thread ? thread.join : breaker.call
      while pushers.any?(&:alive?)
        got << taken(channel)
      end
      poppers.each(&:cancel).each(&:join)
    end
    got = got.compact + rest(channel)
    check_equal(got.uniq.size, got.size, "an item came twice: #{got}")
    lost = returned - got
    check(lost.empty?, "items lost: #{lost}")
  end

  model "close wakes every waiting party", runs: 20 do
    channel = Raffia::Channel.new(one_of(0, 1))
    poppers = 2.times.map { -> { attempt(Raffia::Closed) { channel.pop } } }
    pushers = 2.times.map { |n| -> { attempt(Raffia::Closed) { channel.push(n) } } }
    closer = lambda do
      nap(pause(1))
      channel.close
    end
    ends = together(*one_of(poppers, pushers, poppers + pushers), closer)
    taken = ends.count { |value| value.is_a?(Integer) }
    put = ends[..-2].count { |value| value.equal?(channel) }
    check_equal(put, taken + channel.size, "items")
  end

  model "an item whose receiver is interrupted goes to the next", runs: 60 do
    channel = Raffia::Channel.new(one_of(0, 1))
    got = []
    threads = Array.new(2) { interruptible { got << channel.pop } }
    sim.settle
    pusher = interruptible { channel.push(:item) }
    interrupt(threads.first)
    sim.sleep(0.001)
    check_equal([:item], got, "items got")
    threads.each { |thread| interrupt(thread) }
    ended(*threads, pusher)
  end

  model "an item that came back lets no further push in", runs: 60 do
    channel = Raffia::Channel.new(0)
    taken = []
    pushed = []
    first = interruptible { taken << channel.pop }
    sim.settle
    senders = in_threads([1, 2].map { |item| -> { channel.push(item) && pushed << item } })
    interrupt(first)
    sim.sleep(0.001)
    check_equal(taken.size + channel.size, pushed.size, "pushes before the next pop")
    taken << channel.pop
    sim.sleep(0.001)
    check_equal(taken.sort, pushed.sort, "pushes that returned")
    taken << channel.pop until taken.size == 2
    ended(first, *senders)
    check_equal([1, 2], taken.sort, "items")
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
