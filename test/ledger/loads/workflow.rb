# frozen_string_literal: true

module Ledger
  # A step of a workflow. Its effect is noted with its name and value.
  class StepJob
    include Raffia::Job

    options retry: 10
    retry_in { 0.2 }

    private

    def effect(value)
      own = run.item.dig("raffia", "workflow")
      HISTORY.note(:effect, ["#{own["id"]}/#{own["node"].tr(" ", "_")} #{value}"])
      raise "the first time" if rand < 0.02 && !run.item["retry_count"]

      return_value(value)
    end
  end

  # Returns a list.
  class ListStep < StepJob
    def perform(count)
      effect(count)
      return_value((1..count).to_a)
    end
  end

  # One for each element of the list.
  class SquareStep < StepJob
    def perform(number) = effect(number * number)
  end

  # Gets the results of all elements.
  class SumStep < StepJob
    def perform(numbers) = effect(numbers.sum)
  end

  # Notes what it gets.
  class NoteStep < StepJob
    def perform(value) = effect(value)
  end

  # The same, with what it gets and returns encrypted.
  class SealedStep < NoteStep
    options encrypt: true
  end

  # A durable function as a step.
  class FunctionStep
    include Raffia::Durable

    options retry: 10

    def call(value)
      first = step(:first) { value }
      sleep_for(0.05)
      own = run.item.dig("raffia", "workflow")
      step(:effect) { HISTORY.note(:effect, ["#{own["id"]}/#{own["node"]} #{first}"]) }
      first
    end
  end

  # Fails for good.
  class BrokenStep < StepJob
    retry_in { :discard }

    def perform(_) = raise("it always fails")
  end

  # Fans out, adds up, and ends with a callback.
  class SumFlow
    include Raffia::Workflow

    def build(count)
      job :list, ListStep, count
      each :square, SquareStep, from: :list
      job :sum, SumStep, result(:square)
      job :last, NoteStep, result(:sum)
    end
  end

  # A step of it is a workflow, one is encrypted, and one is a durable function.
  class NestedFlow
    include Raffia::Workflow

    def build(count)
      job :sealed, SealedStep, count
      job :function, FunctionStep, result(:sealed)
      flow :inner, SumFlow, count, after: :function
      job :last, NoteStep, result(:function), after: :inner
    end
  end

  # Fails at its end, and what was done is undone in reverse order.
  class UndoneFlow
    include Raffia::Workflow

    def build(count)
      job :one, NoteStep, count, undo: NoteStep
      job :two, NoteStep, count, after: :one, undo: NoteStep
      job :broken, BrokenStep, count, after: :two
      job :never, NoteStep, count, after: :broken
    end
  end

  module Loads
    # Workflows.
    module Workflow
      SHARE = 18
      KINDS = {SumFlow => 4, NestedFlow => 7, UndoneFlow => 5}.freeze

      module_function

      def supported?(store) = Loads.supported? { store.cancel_workflow("none", "no one") }

      def produce(random, _)
        Array.new(random.rand(1..12)) { start(random) }.sum
      end

      # Under an id of its own, so that a repeated start after a lost answer is none.
      def start(random)
        kind = KINDS.keys.sample(random: random)
        count = random.rand(0..5)
        id = Raffia::Jobs::Payload.id
        Loads.insist do
          kind.start(count, id: id)
        rescue Raffia::Jobs::NotUnique
          nil
        end
        HISTORY.note(:kept_workflow, ["#{id} #{kind.name} #{count}"])
        KINDS[kind] + ((kind == UndoneFlow) ? 0 : count)
      end
    end
  end
end
