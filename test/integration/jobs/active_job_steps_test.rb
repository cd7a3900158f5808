# frozen_string_literal: true

require "test_helper"
require_relative "work_case"

module Raffia
  # An Active Job with steps whose worker process is killed.
  class JobsActiveJobStepsTest < JobsWorkCase
    PROGRAM = <<~'RUBY'
      require "active_job"
      require "active_job/queue_adapters/raffia_adapter"

      ActiveJob::Base.queue_adapter = :raffia
      ActiveJob::Base.logger = nil
      ActiveSupport::IsolatedExecutionState.isolation_level = :fiber

      class StepsJob < ActiveJob::Base
        include ActiveJob::Continuable

        def perform
          %i[one two three].each do |name|
            step(name) { File.write("said", "#{name}\n", mode: "a") }
            die(name) unless name == :two # a third death would be one too many
          end
        end

        # Once for each name: in the code between the steps, and at the end.
        def die(name)
          queue_adapter.stopping? # as the next step asks
          return if File.exist?("died-#{name}")

          File.write("died-#{name}", "")
          Process.kill(:KILL, Process.pid)
          sleep
        end
      end

    RUBY

    def setup
      if Gem::Specification.find_all_by_name("activejob", ">= 8.1").empty?
        skip "the gem activejob 8.1 is not installed (bin/setup --server)"
      end
      super
      script PROGRAM, "jobs.rb"
    end

    def url = "sqlite:#{@dir}/jobs.db"

    def test_steps_that_have_ended_are_not_repeated_after_a_kill
      enqueue_job
      work("--processes", "2") do
        await_counts(queue: 0, running: 0, dead: 0, processed: 1)
      end
      assert_equal([%w[one], %w[two], %w[three]], said)
      assert_equal(2, Dir.children(@dir).grep(/\Adied-/).size)
      assert_equal([0, 0], @store.counts.values_at(:retry, :scheduled))
    end

    private

    def enqueue_job
      @store.enqueue([Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({
        "class" => "Sidekiq::ActiveJob::Wrapper", "wrapped" => "StepsJob", "queue" => "default",
        "args" => [{"job_class" => "StepsJob", "job_id" => "a", "queue_name" => "default",
                    "arguments" => [], "executions" => 0, "exception_executions" => {},
                    "locale" => "en", "timezone" => nil, "continuation" => {}, "resumptions" => 0}]
      }))])
    end
  end
end
