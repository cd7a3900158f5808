# frozen_string_literal: true

Simulations.of "task/channel", covers: %w[task/select task/waiter task/spin_lock] do
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

  model "an item that comes back meets a receiver that comes meanwhile", runs: 60 do
    channel = Raffia::Channel.new(one_of(0, 1))
    got = []
    first = interruptible { got << channel.pop }
    sim.settle
    pusher = Thread.new { channel.push(:item) }
    pusher.join if choose(2).zero?
    interrupt(first)
    got << taken(channel)
    ended(first, pusher)
    check_equal([:item], got.compact, "items got")
  end
end
