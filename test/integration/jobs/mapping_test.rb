# frozen_string_literal: true

require "support/servers"
require_relative "work_case"

module Raffia
  # Raffia.map on: :jobs, with workers in processes of their own that come and go.
  class JobsMappingProcessesTest < JobsWorkCase
    # Classes of the workers and the caller.
    PROGRAM = <<~RUBY
      #{JobsWorkCase::PROGRAM}
      class SquareJob < Job
        def perform(number)
          say(number)
          sleep(0.02)
          number * number
        end
      end

      # The first worker that comes here dies of it.
      class FatalJob < Job
        def perform(number)
          return number unless number == 7

          File.open("died", File::CREAT | File::EXCL) { Process.kill(:KILL, Process.pid) }
          number
        rescue Errno::EEXIST
          number
        end
      end
    RUBY

    def setup
      super
      script PROGRAM, "jobs.rb"
      unless Object.const_defined?(:SquareJob)
        eval(PROGRAM, TOPLEVEL_BINDING) # standard:disable Security/Eval
      end
    end

    def url = "sqlite:#{File.join(@dir, "jobs.db")}"

    def on = Jobs.workers(store: @store)

    def test_workers_share_a_call
      work("--processes", "2") do
        assert_equal((1..60).map { |n| n * n }, Raffia.map(1..60, on: on, chunk: 1, &SquareJob))
        assert_equal((1..60).map(&:to_s), said.map { |words| words[1] }.sort_by(&:to_i),
          "each of them once")
      end
    end

    def test_a_worker_that_is_killed_has_its_chunk_done_by_another
      work("--processes", "2", "--lease", "4") do
        assert_equal((1..20).to_a, Raffia.map(1..20, on: on, chunk: 2, &FatalJob))
      end
    end

    def test_a_deadline_ends_the_call_and_its_chunks
      work("--processes", "1", "-c", "1") do
        assert_raises(TimeoutError) { Raffia.map(1..500, on: on, chunk: 1, timeout: 1, &SquareJob) }
        await("chunks are left") { @store.counts.values_at(:queue, :running).sum.zero? }
        assert_operator(said.size, :<, 500)
      end
    end
  end
end
