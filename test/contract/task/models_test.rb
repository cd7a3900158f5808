# frozen_string_literal: true

require_relative "task_case"
require "prop_check"

# Semaphore and Barrier against models of them, as task_channel_model_test.rb has it: random lists
# of calls, each that may wait in a task of its own. After each step every task must stand where the
# model says.
module TaskModelsSuite
  # A model knows the result of each call that has ended, by its number.
  class Model
    attr_reader :results

    def initialize
      @results = {}
    end
  end

  class SemaphoreModel < Model
    attr_reader :limit, :held, :line

    def initialize(limit)
      super()
      @limit = limit
      @held = {}
      @line = []
    end

    def acquire(id, weight)
      return @results[id] = :refused if weight > @limit

      @line << [id, weight]
      serve
    end

    def release(id)
      @held.delete(id)
      serve
    end

    def cancel(id)
      @line.reject! { |other, _| other == id }
      @results[id] = :cancelled
      serve
    end

    def resize(limit)
      @limit = limit
      @line.each { |id, weight| @results[id] = :refused if weight > limit }
      @line.reject! { |_, weight| weight > limit }
      serve
    end

    def available = @limit - @held.values.sum

    private

    def serve
      while @line.any? && @line.first.last <= available
        id, weight = @line.shift
        @held[id] = weight
        @results[id] = :held
      end
    end
  end

  class BarrierModel < Model
    attr_reader :line, :broken

    def initialize(parties)
      super()
      @parties = parties
      @line = []
      @broken = false
    end

    def wait(id)
      return @results[id] = :broken if @broken

      @line << id
      if @line.size == @parties
        @line.each_with_index { |other, index| @results[other] = index } && @line.clear
      end
    end

    def cancel(id)
      @line.delete(id)
      @results[id] = :cancelled
      dissolve
      @broken = true
    end

    def reset
      dissolve
      @broken = false
    end

    private

    def dissolve
      @line.each { |other| @results[other] = :broken }
      @line.clear
    end
  end

  G = PropCheck::Generators

  def test_semaphore
    forall(1..4) do |scope, limit, steps|
      semaphore = Raffia::Semaphore.new(limit)
      model = SemaphoreModel.new(limit)
      compare(model, steps, -> { [semaphore.limit, semaphore.available, semaphore.waiting] },
        -> { [model.limit, model.available, model.line.size] }) do |tasks, id, step|
        semaphore_step(scope, semaphore, model, tasks, id, step)
      end
    end
  end

  def test_barrier
    forall(1..4) do |scope, parties, steps|
      barrier = Raffia::Barrier.new(parties)
      model = BarrierModel.new(parties)
      compare(model, steps, -> { [barrier.waiting, barrier.broken?] },
        -> { [model.line.size, model.broken] }) do |tasks, id, step|
        barrier_step(scope, barrier, model, tasks, id, step)
      end
    end
  end

  private

  def forall(sizes)
    on_scheduler do
      PropCheck.forall(G.choose(sizes), G.array(G.choose(0..99))) do |number, steps|
        size = [number, 1].max # a list that fails is made shorter, and the size smaller
        Raffia::Scope.open do |scope|
          yield scope, size, steps
          scope.cancel
        end
      end
    end
  end

  def compare(model, steps, state, model_state)
    tasks = []
    steps.each_with_index do |step, id|
      yield tasks, id, step
      2.times { sleep(0) }
      assert_equal model.results, results(tasks), "after step #{id} of #{steps}"
      assert_equal model_state.call, state.call, "after step #{id} of #{steps}"
    end
  end

  def semaphore_step(scope, semaphore, model, tasks, id, step)
    weight = 1 + step / 10 % 4
    case step % 10
    when 0..4
      tasks[id] = scope.spawn { outcome { semaphore.acquire(weight) && :held } }
      model.acquire(id, weight)
    when 5..7
      pick(model.held.to_a, step) { |held, much| semaphore.release(much) && model.release(held) }
    when 8
      pick(model.line, step) { |waiting, _| tasks[waiting].cancel && model.cancel(waiting) }
    else semaphore.resize(weight) && model.resize(weight)
    end
  end

  def barrier_step(scope, barrier, model, tasks, id, step)
    case step % 10
    when 0..6
      tasks[id] = scope.spawn { outcome { barrier.wait } }
      model.wait(id)
    when 7, 8
      pick(model.line, step) { |waiting| tasks[waiting].cancel && model.cancel(waiting) }
    else barrier.reset && model.reset
    end
  end

  def pick(list, step)
    yield list[step / 10 % list.size] if list.any?
  end

  def outcome
    yield
  rescue Raffia::ConfigError
    :refused
  rescue Raffia::Barrier::Broken
    :broken
  end

  def results(tasks)
    tasks.each_with_index.select { |task, _| task && !task.alive? }.to_h do |task, id|
      [id, (task.status == :cancelled) ? :cancelled : task.value]
    end
  end
end

TaskCase.run(TaskModelsSuite)
