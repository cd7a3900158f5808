# frozen_string_literal: true

require_relative "task_case"

# Trees of scopes whose tasks do everything at once, at random: wait, fail, time out, shield, race,
# cancel themselves, each other and their scopes, from threads too. Whatever happens, it ends, and
# nothing is held or left running.
module TaskStormSuite
  Boom = Class.new(StandardError)
  ROUNDS = 40

  def test_storm
    ROUNDS.times do |round|
      @seed = (Minitest.seed * ROUNDS) + round
      @random = Random.new(@seed)
      weather
    rescue Minitest::Assertion
      raise
    rescue Exception => error # rubocop:disable Lint/RescueException
      flunk("seed #{@seed}: #{error.full_message(highlight: false)}")
    end
  end

  private

  def weather
    @channels = [0, 1, nil].map { |capacity| Raffia::Channel.new(capacity) }
    @semaphore = Raffia::Semaphore.new(2)
    @inside = 0
    in_scope do |scope|
      4.times { scope.spawn { 4.times { calm { Raffia::Scope.open { |inner| work(inner, 1) } } } } }
    end
    assert_equal [0, 2, 0], [@inside, @semaphore.available, @semaphore.waiting], "seed #{@seed}"
  end

  # Rescues the errors that a storm may raise.
  def calm
    yield
  rescue Boom, Raffia::TimeoutError, Raffia::Cancelled
    nil
  end

  def work(scope, depth)
    @inside += 1
    dice(4).times do
      send(%i[wait exchange limit shield fail_or_cancel nest].sample(random: @random), scope, depth)
    end
  ensure
    @inside -= 1
  end

  def dice(sides) = @random.rand(sides)

  def wait(_scope, _depth) = sleep(dice(3) * 0.0005)

  def exchange(_scope, _depth)
    channel = @channels.sample(random: @random)
    calm do
      case dice(3)
      when 0 then channel.pop(timeout: 0.001)
      when 1 then channel.push(1, timeout: 0.001)
      else Raffia.select(timeout: 0.001) do |on|
        @channels.each { |other| dice(2).zero? ? on.pop(other) : on.push(other, 2) }
      end
      end
    end
  end

  def limit(scope, depth)
    calm { @semaphore.synchronize(1 + dice(2), timeout: 0.002) { sleep(0.0003) } }
    calm { Raffia.timeout(dice(4) * 0.0005) { work(scope, depth + 1) } } if depth < 5
  end

  def shield(_scope, _depth)
    ended = Raffia.shield { sleep(dice(2) * 0.0005) || true }
    assert ended
  end

  def fail_or_cancel(scope, depth)
    return if depth < 2

    case dice(12)
    when 0..2 then raise Boom
    when 3 then scope.cancel
    when 4 then Raffia::Task.current&.cancel
    when 5 then Thread.new { scope.cancel(:thread) }.join
    end
  end

  def nest(scope, depth)
    return if depth > 4

    case dice(3)
    when 0 then scope.spawn { work(scope, depth + 1) }
    when 1
      calm { Raffia.race([1, 2]) { work(scope, depth + 1) && dice(2).zero? && raise(Boom) } }
    else calm do
      Raffia::Scope.open do |inner|
        (1 + dice(3)).times { inner.spawn { work(inner, depth + 1) } } && work(inner, depth + 1)
      end
    end
    end
  end
end

TaskCase.run(TaskStormSuite)
