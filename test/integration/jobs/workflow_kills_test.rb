# frozen_string_literal: true

require "test_helper"
require "support/servers"
require_relative "work_case"

module Raffia
  # Workflows whose workers are killed: while a job runs, and after it is done, before or while the
  # store learns it.
  module WorkflowKills
    PROGRAM = <<~'RUBY'
      class DeadlyStep < Job
        # Kills its process, once for each name.
        def die_once(name, after: 0)
          file = "died-#{name}"
          return if File.exist?(file)

          File.write(file, "")
          return Process.kill(:KILL, Process.pid) if after.zero?

          Thread.new { sleep(after) && Process.kill(:KILL, Process.pid) }
        end
      end

      class ListStep < DeadlyStep
        def perform(count)
          say("list")
          return_value((0...count).to_a)
          die_once("list")
        end
      end

      class ElementStep < DeadlyStep
        def perform(number)
          say("element", number)
          die_once(number) if number == 17
          die_once(number, after: 0.001) if [30, 61].include?(number)
          return_value(number * 2)
        end
      end

      class SumStep < DeadlyStep
        def perform(numbers)
          say("sum", numbers.sum, numbers.size)
          return_value(numbers.sum)
          die_once("sum", after: 0.001)
        end
      end

      class LastStep < DeadlyStep
        def perform(sum) = say("last", sum)
      end

      class EndFlow
        include Raffia::Workflow

        def build(numbers)
          job :sum, SumStep, numbers
          job :last, LastStep, result(:sum)
        end
      end
    RUBY

    module OnAnyStore
      def setup
        super
        script JobsWorkCase::PROGRAM + PROGRAM, "jobs.rb"
      end

      def test_each_step_ends_once_although_workers_are_killed
        opener = step("end", "Raffia::Jobs::Workflow::OpenJob", "EndFlow",
          {"raffia:result" => "element"})
        @store.open_workflow("k", [step("list", "ListStep", 100),
          step("element", "ElementStep").merge("kind" => "each", "from" => "list"),
          opener.merge("kind" => "flow", "after" => ["element"])])
        work("--lease", "5", "--processes", "2") do
          await("it has not ended") { @store.workflow("k")["state"] == "done" }
        end
        assert_equal((0...100).map { |number| number * 2 },
          JSON.parse(@store.workflow_result("k", "element")))
        lines = said.map { |line| line[1..-2] }
        assert_equal([100, [%w[9900 100]], [%w[9900]]],
          [lines.select { |line| line[0] == "element" }.uniq.size,
            lines.select { |line| line[0] == "sum" }.map { |line| line.drop(1) }.uniq,
            lines.select { |line| line[0] == "last" }.map { |line| line.drop(1) }.uniq])
        assert_equal(5, Dir.glob(File.join(@dir, "died-*")).size)
        assert_equal([[], 0], [@store.check, @store.counts[:dead]])
      end

      private

      def step(name, job, *args)
        {"name" => name, "kind" => "job", "after" => [],
         "item" => JSON.parse(JSON.generate({"class" => job, "args" => args, "queue" => "default",
           "retry" => true}))}
      end
    end

    class OnSQLiteTest < JobsWorkCase
      include OnAnyStore

      def url = "sqlite:#{@dir}/jobs.db"
    end

    class OnRedisTest < JobsWorkCase
      include OnAnyStore

      def url = "redis://127.0.0.1:#{TestSupport::Redis.running.port}/6"

      def setup
        super
        @store.client.tap { |redis| redis.call("FLUSHDB") }.close
      rescue TestSupport::Server::Missing, MissingDependency => error
        skip error.message
      end
    end
  end
end
