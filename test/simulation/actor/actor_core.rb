# frozen_string_literal: true

Simulations.of "actor/actor_core", covers: %w[actor/mailbox actor/execution actor/termination
  actor/lifecycle actor/future actor/answer actor/message actor/links actor/actor_loop
  actor/executors/worker_threads actor/executors/threads],
  ignore: [:leaks] do
  recorder = Class.new(Raffia::Actor) do
    def initialize(log) = @log = log

    def note(item)
      @log << :busy
      sleep(0.001) if item.last == 1
      @log << :idle
      @log << item
      item
    end

    def fail_now = raise(IOError, "failed")

    def waits(seconds) = sleep(seconds) && :woken
  end

  linked = Class.new(Raffia::Actor) do
    def initialize(other = nil) = @other = other

    def on_start = @other && link(@other)

    def fail_now = raise(IOError, "failed")

    def ping = :pong
  end

  # Runs the block inside of Raffia.run, with a strategy for its actors.
  system = lambda do |program, &block|
    Raffia.run { block.call(program.one_of(:fibers, :threads)) }
  end

  # The value of a call, or the class of its error.
  outcome = lambda do |&call|
    call.call
  rescue Raffia::ActorDied, Raffia::TimeoutError, IOError => error
    error.class
  end

  model "one message at a time, in the order of each sender", runs: 20 do
    log = []
    system.call(self) do |on|
      ref = recorder.spawn(log, on: on)
      in_threads(2.times.map do |name|
        lambda do
          3.times do |number|
            one_of(-> { ref.async.note([name, number]) }, -> { ref.note([name, number]) }).call
          end
        end
      end).each(&:join)
      ref.stop
      ref.join
    end
    states = log.grep(Symbol)
    check(states.each_slice(2).all?(%i[busy idle]), "two at a time: #{log}")
    items = log.grep(Array)
    check_equal([0, 1].product([0, 1, 2]), items.sort, "messages")
    items.group_by(&:first).each_value { |own| check_equal(own.sort, own, "order") }
  end

  model "every call gets a value or an error, also when the actor ends", runs: 40 do
    results = nil
    system.call(self) do |on|
      ref = recorder.spawn([], on: on)
      callers = 3.times.map do |name|
        lambda do
          2.times.map do |number|
            nap(pause(1))
            outcome.call do
              one_of(-> { ref.note([name, number]) },
                -> { ref.future.note([name, number]).value },
                -> { ref.future.waits(0.001).value }).call
            end
          end
        end
      end
      ender = lambda do
        nap(pause(2))
        one_of(-> { ref.stop }, -> { ref.kill }, -> { outcome.call { ref.fail_now } }).call
        ref.join
      end
      *results, _ = in_threads([*callers, ender]).map(&:value)
    end
    results.flatten(1).each do |result|
      fits = result.is_a?(Array) || [:woken, Raffia::ActorDied].include?(result)
      check(fits, "a call got #{result.inspect}")
    end
  end

  model "a call with a deadline ends in time", runs: 20 do
    system.call(self) do |on|
      ref = recorder.spawn([], on: on)
      calls = in_threads(3.times.map do
        lambda do
          seconds = one_of(0.001, 0.002, 0.003)
          [elapsed { outcome.call { Raffia.timeout(seconds) { ref.waits(0.002) } } }, seconds]
        end
      end)
      calls.map(&:value).each do |took, seconds|
        check(took <= seconds + 1e-6, "#{took} of #{seconds} s")
      end
      check_equal([5, 5], outcome.call { ref.note([5, 5]) }, "a call after them")
      ref.stop
      ref.join
    end
  end

  model "a linked actor ends with the other", runs: 20 do
    system.call(self) do |on|
      first = linked.spawn(on: on)
      second = linked.spawn(first, on: on)
      ends = choose(2).zero? ? [first, second] : [second, first]
      call = Thread.new { outcome.call { second.ping } }
      outcome.call { ends.first.fail_now }
      check(ends.all? { |ref| ref.join(1) }, "an actor outlived its link")
      check([:pong, Raffia::ActorDied].include?(call.value), "the call got #{call.value}")
    end
  end
end
