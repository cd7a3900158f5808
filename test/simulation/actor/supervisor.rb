# frozen_string_literal: true

Simulations.of "actor/supervisor", covers: %w[actor/supervisor/recovery actor/supervisor/child
  actor/supervisor/children actor/termination actor/lifecycle actor/execution actor/mailbox],
  ignore: [:leaks] do
  worker = Class.new(Raffia::Actor) do
    def initialize(log) = @log = log

    def on_start = @log << :start

    def on_stop(_reason) = @log << :stop

    def work(number)
      raise IOError, "failed" if number == :bad

      number
    end
  end

  # The value of a call, or the class of its error.
  outcome = lambda do |&call|
    call.call
  rescue Raffia::ActorDied, IOError => error
    error.class
  end

  tree = lambda do |log, on, intensity, children|
    Class.new(Raffia::Supervisor) do
      strategy :one_for_one, intensity: intensity, period: 5
      children.times { |number| child(worker, log, on: on, id: number) }
    end
  end

  model "a child that fails is started again, and the others' calls are answered", runs: 30 do
    log = []
    fails = 1 + choose(2)
    results = []
    Raffia.run do
      top = tree.call(log, one_of(:fibers, :threads), 3, 1).spawn
      child = top.children.first
      callers = 2.times.map do |name|
        lambda do
          2.times.map do |number|
            nap(pause(1))
            outcome.call { child.work([name, number]) }
          end
        end
      end
      breaker = lambda do
        fails.times do
          nap(pause(1))
          check_equal(IOError, outcome.call { child.work(:bad) }, "what the caller gets")
        end
      end
      *results, _ = in_threads([*callers, breaker]).map(&:value)
      check_equal(:again, child.work(:again), "a call after the restarts")
      check_equal(fails, child.stats[:restarts], "restarts")
      top.stop
      top.join
      check(!child.alive?, "the child outlived its supervisor")
    end
    check_equal([fails + 1] * 2, [log.count(:start), log.count(:stop)], "starts and stops")
    results.flatten(1).each { |one| check(one.is_a?(Array), "a call got #{one}") }
  end

  model "beyond the intensity the supervisor gives up, and nothing is left", runs: 20 do
    log = []
    intensity = choose(3)
    Raffia.run do
      top = tree.call(log, one_of(:fibers, :threads), intensity, 2).spawn
      one, other = top.children
      calls = Thread.new { 2.times.map { outcome.call { other.work(1) } } }
      (intensity + 1).times do |number|
        check_equal(IOError, outcome.call { one.work(:bad) }, "failure #{number}")
      end
      check(top.join(10), "the supervisor goes on")
      check([one, other].none?(&:alive?), "a child outlived its supervisor")
      calls.value.each { |call| check([1, Raffia::ActorDied].include?(call), "got #{call}") }
    end
    check_equal(log.count(:start), log.count(:stop), "stops")
    check_equal(2 + intensity, log.count(:start), "starts")
  end

  model "stop during calls answers all of them", runs: 30 do
    log = []
    Raffia.run do
      top = tree.call(log, one_of(:fibers, :threads), 3, 2).spawn
      refs = top.children
      callers = 2.times.map do |name|
        -> { 3.times.map { outcome.call { refs[name].work(one_of(1, :bad)) } } }
      end
      stopper = lambda do
        nap(pause(2))
        top.stop
        top.join
      end
      *results, _ = in_threads([*callers, stopper]).map(&:value)
      results.flatten(1).each do |result|
        check([1, IOError, Raffia::ActorDied].include?(result), "a call got #{result}")
      end
      check(refs.none?(&:alive?), "a child outlived its supervisor")
    end
    check_equal(log.count(:start), log.count(:stop), "stops")
  end
end
