# frozen_string_literal: true

Simulations.of "task/select", covers: %w[task/channel task/waiter task/spin_lock] do
  model "each item fires one clause of one select", runs: 40 do
    channels = Array.new(2) { Raffia::Channel.new(one_of(0, 1)) }
    orders = [channels, channels.reverse]
    selectors = 2.times.map do |index|
      lambda do
        4.times.map do
          fired = []
          Raffia.select do |on|
            orders[index].each { |channel| on.pop(channel) { |item| fired << item } }
          end
          check_equal(1, fired.size, "clauses that fired")
          fired.first
        end
      end
    end
    pushers = 2.times.map { |n| -> { 4.times { |i| channels[n].push([n, i]) } } }
    one, two, * = together(*selectors, *pushers)
    check_equal([0, 1].product([0, 1, 2, 3]), (one + two).sort, "items got")
    check(channels.all?(&:empty?), "items are left")
  end

  model "two selects meet at two channels, in both orders", runs: 40 do
    one, two = Array.new(2) { Raffia::Channel.new(0) }
    pusher = lambda do
      4.times.map do |item|
        Raffia.select do |on|
          on.push(two, item) { :two }
          on.push(one, item) { :one }
        end
      end
    end
    popper = lambda do
      4.times.map do
        Raffia.select do |on|
          on.pop(one) { |item| [item, :one] }
          on.pop(two) { |item| [item, :two] }
        end
      end
    end
    put, got = together(pusher, popper)
    check_equal(put.each_with_index.map { |name, item| [item, name] }, got, "exchanges")
  end

  model "a select of a push and a pop does one of them", runs: 40 do
    ins, out = Array.new(2) { Raffia::Channel.new(one_of(0, 1)) }
    exchanger = lambda do
      4.times.map do |item|
        Raffia.select do |on|
          on.push(out, item) { [:put, item] }
          on.pop(ins) { |got| [:got, got] }
        end
      end
    end
    feeder = -> { 4.times.select { |i| put?(ins, i) } }
    taker = -> { 4.times.filter_map { taken(out) } }
    done, fed, took = together(exchanger, feeder, taker)
    gots, puts = done.partition { |kind, _| kind == :got }
    check_equal(fed, gots.map(&:last) + rest(ins), "items taken in")
    check_equal(puts.map(&:last), took + rest(out), "items put out")
  end

  model "a select that loses to its timeout loses no item", runs: 40 do
    channels = Array.new(2) { Raffia::Channel.new(one_of(0, 1)) }
    selectors = 2.times.map do
      lambda do
        5.times.filter_map do
          Raffia.select(timeout: one_of(0, 0.001)) do |on|
            channels.each { |channel| on.pop(channel) }
            on.timeout { nil }
          end
        end
      end
    end
    pushers = channels.each_with_index.map do |channel, n|
      -> { 3.times.map { |i| [n, i] }.select { |item| put?(channel, item) } }
    end
    *got, first, second = together(*selectors, *pushers)
    check(channels.all? { |one| one.line(Raffia::Select::Pop).empty? }, "clauses are left")
    left = channels.flat_map { |one| rest(one) }
    check_equal((first + second).sort, (got.flatten(1) + left).sort, "items")
  end

  model "a cancelled select loses no item", runs: 40 do
    channels = Array.new(2) { Raffia::Channel.new(one_of(0, 1)) }
    got = []
    returned = []
    pusher = Thread.new do
      6.times { |item| returned << item if put?(channels[item % 2], item) }
    end
    Raffia.run do |scope|
      selectors = 3.times.map do
        scope.spawn do
          loop { got << Raffia.select { |on| channels.each { |channel| on.pop(channel) } } }
        end
      end
      selectors.each do |task|
        nap(pause(2))
        task.cancel
      end
    end
    pusher.join
    all = got + channels.flat_map { |one| rest(one) }
    check_equal(returned.sort, all.sort, "items")
  end

  model "closed channels drop out of a select", runs: 20 do
    one, two = Array.new(2) { Raffia::Channel.new(0) }
    selector = lambda do
      items = []
      loop { items << Raffia.select { |on| [one, two].each { |channel| on.pop(channel) } } }
    rescue Raffia::Closed
      items
    end
    feeders = [one, two].each_with_index.map do |channel, n|
      lambda do
        2.times { |item| channel.push([n, item]) }
        channel.close
      end
    end
    check_equal([0, 1].product([0, 1]), together(selector, *feeders).first.sort, "items")
  end
end
