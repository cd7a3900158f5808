# frozen_string_literal: true

require_relative "task_case"
require "prop_check"

# A channel against a model of it: random lists of pushes, pops, cancellations and closings, one at
# a time, each push and pop in a task of its own. After each step every task must stand where the
# model says. A list that fails is printed, made as short as possible.
module TaskChannelModelSuite
  # A channel in its plainest form, to compare with.
  class Model
    attr_reader :results

    def initialize(capacity)
      @capacity = capacity
      @items = []
      @pushes = []
      @pops = []
      @closed = false
      @results = {}
    end

    def push(id, item)
      if @closed then @results[id] = :closed
      elsif @pops.any? then meet(@pops.shift, id, item)
      elsif @items.size < @capacity then take_in(id, item)
      else @pushes << [id, item]
      end
    end

    def pop(id)
      if @items.any?
        @results[id] = @items.shift
        take_in(*@pushes.shift) if @pushes.any? && @items.size < @capacity
      elsif @pushes.any? then meet(id, *@pushes.shift)
      elsif @closed then @results[id] = :closed
      else @pops << id
      end
    end

    def waiting = @pushes.map(&:first) + @pops

    def cancel(id)
      @pushes.reject! { |other, _| other == id }
      @pops.delete(id)
      @results[id] = :cancelled
    end

    def close
      @closed = true
      waiting.each { |id| @results[id] = :closed }
      @pushes.clear
      @pops.clear
    end

    private

    def meet(pop, push, item)
      @results[pop] = item
      @results[push] = :pushed
    end

    def take_in(id, item)
      @items << item
      @results[id] = :pushed
    end
  end

  G = PropCheck::Generators

  def test_behaves_as_the_model
    on_scheduler do
      PropCheck.forall(G.choose(0..3), G.array(G.choose(0..99))) do |capacity, steps|
        Raffia::Scope.open do |scope|
          compare(scope, Model.new(capacity), Raffia::Channel.new(capacity), steps)
          scope.cancel
        end
      end
    end
  end

  def compare(scope, model, channel, steps)
    tasks = []
    steps.each_with_index do |step, id|
      case step % 10
      when 0..3
        tasks[id] = scope.spawn { outcome { channel.push(id) && :pushed } }
        model.push(id, id)
      when 4..7
        tasks[id] = scope.spawn { outcome { channel.pop } }
        model.pop(id)
      when 8 then cancel(model, tasks, step / 10)
      else channel.close && model.close if step > 85
      end
      2.times { sleep(0) }
      assert_equal model.results, results(tasks), "after step #{id} of #{steps}"
    end
  end

  def cancel(model, tasks, nth)
    return if model.waiting.empty?

    id = model.waiting[nth % model.waiting.size]
    model.cancel(id)
    tasks[id].cancel
  end

  def outcome
    yield
  rescue Raffia::Closed
    :closed
  end

  def results(tasks)
    tasks.each_with_index.select { |task, _| task && !task.alive? }.to_h do |task, id|
      [id, (task.status == :cancelled) ? :cancelled : task.value]
    end
  end
end

TaskCase.run(TaskChannelModelSuite)
