# frozen_string_literal: true

require_relative "../jobs/work_case"

# Trees of actors in the workers of `raffia serve`, `raffia work` and `raffia up`.
class ActorLoopTest < Raffia::JobsWorkCase
  ACTORS = <<~'RUBY'
    require "raffia/actor"

    class Counter < Raffia::Actor
      def count = @count = @count.to_i + 1
      def boom = raise("boom")
      def on_stop(reason) = File.write("ends", "#{reason} #{Process.pid}\n", mode: "a")
    end

    class App < Raffia::Supervisor
      strategy :one_for_one, intensity: 1, period: 600
      child Counter, name: :counter
    end
  RUBY
  APPLICATION = <<~'RUBY'
    run(lambda do |env|
      counter = Raffia::Actor[:counter]
      counter.boom rescue nil if env["PATH_INFO"] == "/boom"
      [200, {"content-type" => "text/plain"}, ["#{counter.count} #{Process.pid}"]]
    end)
  RUBY
  JOBS = <<~RUBY
    class CountJob < Job
      def perform = say(Raffia::Actor[:counter].count)
    end
    Raffia::Jobs.actors { App.spawn(name: :app) }
  RUBY

  def url = "sqlite:#{File.join(@dir, "jobs.db")}"

  def setup
    super
    script ACTORS, "actors.rb"
    script "require \"./actors\"\nactors { App.spawn(name: :app) }\n", "raffia.rb"
    script APPLICATION, "config.ru"
  end

  # Actors that have ended, and why.
  def ends
    if File.exist?(path = File.join(@dir, "ends"))
      File.readlines(path).map { |line| line.match(/\A(.*) (\d+)\Z/).captures }
    else
      []
    end
  end

  def ask(server, path = "/") = server.get(path).body.split.map(&:to_i)

  %w[0 1].each do |processes|
    define_method(:"test_a_server_with_#{processes}_processes_has_a_tree_in_its_worker") do
      serve("--processes", processes) do |server|
        (one, pid), (two, _), (fresh, _) = ask(server), ask(server), ask(server, "/boom")

        assert_equal([1, 2, 1], [one, two, fresh])
        server.kill(:TERM)

        assert_equal(0, server.ended.exitstatus, server.err)
        assert_equal([["boom", pid.to_s], ["shutdown", pid.to_s]], ends)
        assert_match(/Counter#\d+ :counter#boom failed/, server.err)
      end
    end
  end

  def test_a_worker_whose_tree_has_ended_is_replaced
    serve("--processes", "1") do |server|
      _, before = ask(server)
      2.times { server.get("/boom") }
      after = wait_until(PROCESS_PATIENCE, "no other worker answers") do
        count, pid = ask(server)
        pid if pid != before && count
      rescue SystemCallError, EOFError
        nil
      end

      refute_equal(before, after)
      assert_match(/has ended, and so does this worker: .*gives up/, server.err)
    end
  end

  def test_a_tree_that_does_not_start_is_no_worker
    script "require \"./actors\"\nactors { Raffia::Supervisor.spawn { |s| s.child(Counter, 1) } " \
      "}\n", "raffia.rb"
    server = start(EXECUTABLE, "serve", "--json", "-p", "0", "--processes", "0")

    assert_equal(1, server.ended.exitstatus)
    assert_match(/its child "Counter" did not: wrong number of arguments/, server.err)
  ensure
    server&.finish
  end

  def test_ractors_have_no_place_for_it
    ended = raffia("serve", "-p", "0", "--ractors", "1")

    assert_equal([2,
      "raffia: actors live in a worker's loop, and those of Ractors have none for them: leave " \
        "out `ractors`, or `actors`\n"], [ended.code, ended.err])
  end

  def test_workers_of_jobs_have_a_tree
    script "#{PROGRAM}\nrequire \"./actors\"\n#{JOBS}", "jobs.rb"
    %w[0 1].each do |processes|
      FileUtils.rm_f(File.join(@dir, "said"))
      work("--processes", processes) do |worker|
        2.times { enqueue("CountJob") }
        pid = await_said("CountJob", count: 2).map(&:last).uniq

        assert_equal(%w[1 2], said.map { |line| line[1] }.sort)
        worker.kill(:TERM)

        assert_equal(0, worker.ended.exitstatus, worker.err)
        assert_equal([["shutdown", *pid]], ends.last(1))
      end
    end
  end

  def test_requests_and_jobs_under_one_supervisor
    script "#{PROGRAM}\nrequire \"./actors\"\n#{JOBS}", "jobs.rb"
    serve("--processes", "1", "-r", "./jobs.rb",
      command: [EXECUTABLE, "up", "--json", "--store", url]) do |server|
      @worker = server
      await("no worker is enrolled") { @store.processes.any? }
      count, web = ask(server)
      enqueue("CountJob")
      _, job_count, job = await_said("CountJob").first

      assert_equal([1, "1"], [count, job_count])
      server.kill(:TERM)

      assert_equal(0, server.ended.exitstatus, server.err)
      assert_equal([["shutdown", job], ["shutdown", web.to_s]].sort, ends.sort)
    end
  end
end
