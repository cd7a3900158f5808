# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"
require_relative "support/workflow_log"

module Simulations
  module Jobs
    # A step: works for some seconds, and fails at its first attempts.
    class FlowJob
      include Raffia::Job

      options retry: 2
      retry_in { 1 }

      def perform(seconds, failures = 0, list = nil)
        WorkflowLog.current.add(:begin, self)
        sleep(seconds)
        raise "no" if failures > run.item["retry_count"].to_i + (run.item["retry_count"] ? 1 : 0)

        return_value(list) if list
        WorkflowLog.current.add(:end, self)
      end
    end

    # An element of an `each`.
    class ElementJob < FlowJob
      def perform(seconds) = super
    end

    # Undoes a step.
    class FlowUndoJob
      include Raffia::Job

      def perform(*) = WorkflowLog.current.add(:undo, self)
    end

    # A step that sleeps outside of its worker.
    class FlowFunction
      include Raffia::Durable

      def call(seconds, *)
        step(:one) { WorkflowLog.current.add(:begin, self) && nil }
        sleep_for(seconds)
        step(:two) { WorkflowLog.current.add(:end, self) && nil }
        nil
      end
    end

    # A sub-workflow.
    class InnerFlow
      include Raffia::Workflow

      def build(seconds, failures)
        job :one, FlowJob, seconds, undo: FlowUndoJob
        job :two, FlowJob, seconds, failures, after: :one, undo: FlowUndoJob
      end
    end
  end

  of "jobs/workflow", covers: %w[jobs/workflow/handle jobs/store/workflow/transition
    jobs/store/workflow/restart jobs/store/workflow/compensation jobs/stores/memory/workflows
    jobs/stores/sql/workflow_counter], preempt: :none, max_steps: 200_000 do
    # Starts a workflow that the run chooses, and returns its handle.
    start = lambda do |program, **options|
      failures = -> { program.one_of(9, 9, 1, 0, 0, 0, 0, 0, 0) }
      seconds = -> { program.choose(4) / 10.0 }
      Raffia::Workflow.new(**options) do |w|
        w.job :list, Jobs::FlowJob, seconds.call, 0, Array.new(program.choose(4)) { seconds.call },
          undo: Jobs::FlowUndoJob
        w.each :each, Jobs::ElementJob, from: :list, undo: Jobs::FlowUndoJob
        w.flow :inner, Jobs::InnerFlow, seconds.call, failures.call, after: program.one_of([], :list)
        w.job :own, program.one_of(Jobs::FlowJob, Jobs::FlowFunction), seconds.call, failures.call,
          undo: Jobs::FlowUndoJob
        w.job :last, Jobs::FlowJob, seconds.call, failures.call, after: %i[each inner own],
          on_failure: program.one_of(:skip, :run), undo: Jobs::FlowUndoJob
      end.start
    end

    # Runs workflows, and what the block does to them at the same time.
    run = lambda do |program, strict: true, crash: false, **options, &block|
      Jobs::Plant.open(program) do |plant|
        log = Jobs::WorkflowLog.new(plant.store)
        (1 + program.choose(2)).times do
          plant.work(concurrency: 1 + program.choose(4), delays: program.choose(3))
        end
        flows = Array.new(1 + program.choose(2)) { start.call(program, **options) }
        threads = flows.map do |flow|
          link = plant.link(delays: 2)
          Thread.new { block.call(Raffia::Jobs::Workflow::Handle.new(flow.id, link), plant) }
        end
        if crash
          plant.work(concurrency: 3)
          program.sim.sleep(program.choose(12) / 10.0)
          plant.crash(plant.workers.first)
        end
        threads.each(&:join)
        plant.drain
        plant.stop
        found = log.violations(strict: strict)
        program.check(found.empty?, found.join("; "))
      end
    end

    model "steps run once their predecessors have ended, and undos in reverse order", runs: 3 do
      run.call(self) { |_| nil }
    end

    model "a cancel while steps complete ends all, and undoes what had begun", runs: 3 do
      run.call(self) do |flow|
        sleep(choose(8) / 10.0)
        choose(3).zero? ? 2.times { flow.cancel } : flow.cancel
      end
    end

    model "a retry from a step while another fails leaves no step behind", runs: 3 do
      run.call(self, strict: false) do |flow|
        (1 + choose(3)).times do
          sleep(choose(40) / 10.0)
          attempt(Raffia::Jobs::Error) { flow.retry(one_of(:list, :each, :inner, :own, :last)) }
        end
      end
    end

    model "a deadline at the moment of completion ends the workflow one way", runs: 3 do
      run.call(self, deadline: (1 + choose(12)) / 10.0) { |_| nil }
    end

    model "dead steps that are requeued go on, beside cancels, retries and undos", runs: 3 do
      run.call(self, strict: false) do |flow, plant|
        (2 + choose(4)).times do
          sleep(choose(30) / 10.0)
          case choose(5)
          when 0 then flow.cancel
          when 1 then flow.undo
          when 2 then attempt(Raffia::Jobs::Error) { flow.retry(one_of(:list, :inner, :own)) }
          else plant.store.requeue(plant.store.entries(:dead))
          end
        end
      end
    end

    model "workers that die leave no workflow behind", runs: 3 do
      run.call(self, strict: false, crash: true) do |flow|
        sleep(choose(12) / 10.0)
        flow.cancel if choose(2).zero?
      end
    end
  end
end
