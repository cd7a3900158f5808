# frozen_string_literal: true

require "raffia/server"
require_relative "../model"

Simulations.of "server/admission/concurrency_limiter", covers: %w[server/admission/codel
  server/admission/fair_queue],
  preempt: :none, max_steps: 100_000 do
  limiter_class = Raffia::Server::Admission::ConcurrencyLimiter

  # Requests come at times of their own, each in a task. Returns those whose turn has come, in
  # order: when, the seconds waited, and whether they were refused.
  pass = lambda do |scope, limiter, gaps, seconds|
    turns = []
    tasks = gaps.zip(seconds).map do |gap, work|
      sleep(gap)
      came = Raffia::Clock.now
      scope.spawn do
        limiter.enter
        turns << [Raffia::Clock.now, Raffia::Clock.now - came, false]
        sleep(work)
        limiter.leave
      rescue limiter_class::Busy => busy
        turns << [Raffia::Clock.now, busy.waited, true]
      end
    end
    tasks.each(&:value)
    turns
  end

  model "a standing queue is shed, a burst is not", runs: 8 do
    target = 0.1
    limit = 1 + choose(3)
    limiter = limiter_class.build(limit:, target:)
    # Load of 30 to 180 %, which may change in the middle.
    load = [one_of(0.3, 0.9, 1.8), one_of(0.3, 0.9, 1.8)]
    gaps = Array.new(150) { |index| 0.002 * (1 + choose(99)) / (limit * load[index / 75]) }
    seconds = Array.new(150) { 0.002 * (1 + choose(99)) }
    turns = Raffia.run { |scope| pass.call(scope, limiter, gaps, seconds) }
    turns.each_with_index do |(now, waited, refused), index|
      before = turns.take(index)
      if refused
        check(waited > 2 * target, "a request was refused that has waited #{waited} s")
        soon = before.find { |at, other, _| at > now - 10 * target + 1e-6 && other < target }
        check_equal(nil, soon, "request that waited less than the target, a second before #{now}")
      else
        late = before.reverse.take_while { |_, other, _| other > 2 * target }.map(&:first)
        steady = late.each_cons(2).all? { |after, earlier| after - earlier < 10 * target }
        long = waited > 2 * target && steady && late.any? && now - late.last > 40 * target
        check(!long, "all requests have waited too long for 4 s, and one was begun at #{now}")
      end
    end
    check_equal(150, turns.size, "turns")
    check_equal([0, 0], [limiter.admitted, limiter.waiting], "what is left")
  end

  model "each request leaves its place, however it ends", runs: 40 do
    limit = 1 + choose(3)
    patience = one_of(nil, 0.25)
    limiter = limiter_class.build(limit:, max_wait: patience)
    inside = most = line = 0
    came, begun, refused = [], {}, []
    request = lambda do |number|
      came << number
      line += 1
      begin
        limiter.enter
      ensure
        line -= 1
        check(limiter.waiting <= line, "#{limiter.waiting} requests wait, of #{line}")
      end
      begun[number] = Raffia::Clock.now
      most = [most, inside += 1].max
      begin
        sleep(0.1 * choose(5))
      ensure
        inside -= 1
      end
      if choose(3).zero? # a streamed response has no place
        limiter.release
        begin
          sleep(0.1 * choose(5))
        ensure
          limiter.reacquire
        end
      end
      limiter.leave
    rescue limiter_class::Busy => busy
      refused << number
      check(same_time?(busy.waited, patience), "a request was refused after #{busy.waited} s")
    rescue Raffia::Cancel
      limiter.leave if begun.key?(number)
      raise
    end
    Raffia.run do |scope|
      tasks = Array.new(4 + choose(12)) do |number|
        sleep(0.1 * choose(4))
        scope.spawn { request.call(number) }
      end
      choose(4).times do
        sleep(0.1 * choose(6))
        one_of(*tasks).cancel
      end
    end
    times = (came & begun.keys).map { |number| begun[number] }
    check_equal(times.sort, times, "times of turns, in the order of requests")
    check(most <= limit, "#{most} requests at a time")
    check_equal([], begun.keys & refused, "requests that are refused and begun")
    check_equal([0, 0], [limiter.admitted, limiter.waiting], "what is left")
  end
end
