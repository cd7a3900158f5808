# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"
require_relative "work_case"

module Raffia
  # Jobs of workers that die or send no heartbeats: on each store, with processes as a user has
  # them.
  module JobsDeaths
    PROGRAM = <<~RUBY
      require "fiddle"

      # Jobs that run at the same time as others.
      class GoodJob < Job
        def perform(_number)
          say("began")
          sleep(0.3)
          say("done")
        end
      end

      class PoisonJob < Job
        def perform
          say("began")
          sleep(0.5) # the others are acknowledged
          Process.kill(:KILL, Process.pid)
          sleep
        end
      end

      class BatchDoneJob < Job
        def perform = say("batch")
      end

      # No other job of its claim has begun by then.
      class HastyJob < Job
        def perform = Process.kill(:KILL, Process.pid)
      end

      # Keeps Ruby's lock, and does not even use the processor.
      class LockJob < Job
        USLEEP = Fiddle::Function.new(Fiddle.dlopen(nil)["usleep"], [Fiddle::TYPE_INT],
          Fiddle::TYPE_INT, need_gvl: true)

        def perform(seconds)
          say("began")
          USLEEP.call((seconds * 1_000_000).to_i)
          say("ended")
        end
      end
    RUBY

    module OnAnyStore
      def setup
        super
        script JobsWorkCase::PROGRAM + PROGRAM, "jobs.rb"
      end

      def test_a_poison_job_is_dead_and_no_other
        @store.open_batch("b", callbacks: {"success" => draft("BatchDoneJob")})
        @store.enqueue(Array.new(6) { |n| draft("GoodJob", n, "raffia" => {"batch" => "b"}) })
        @store.seal_batch("b")
        poison = enqueue("PoisonJob")
        6.times { |n| enqueue("GoodJob", n) }
        work("--lease", "9") { await_counts(queue: 0, scheduled: 0, retry: 0, running: 0, dead: 1) }
        assert_equal(poison, @store.entries(:dead).first.jid)
        ended = said.map { |line| line.first(2) }.tally
        assert_equal([12, 1, 3], ended.values_at(%w[GoodJob done], %w[BatchDoneJob batch],
          %w[PoisonJob began]))
        assert_empty(@store.check)
      end

      # The lease monitor knows it, so no worker waits for the end of the lease.
      def test_a_job_that_had_not_begun_is_not_charged
        deadly = enqueue("HastyJob")
        others = Array.new(5) { |n| enqueue("QuickJob", n) }
        @store.pause("default")
        work("--lease", "600", "--processes", "0") do |worker|
          @store.resume("default")
          assert_equal(9, worker.ended.termsig)
          await("its jobs are not given back") { @store.counts[:running].zero? }
        end
        assert_equal(1, @store.find(deadly).item["raffia"]["crashes"])
        assert_equal([deadly, *others], @store.entries(:queue).map(&:jid))
        others.each { |jid| assert_nil(@store.find(jid).item["raffia"]) }
        assert_empty(@store.processes)
      end

      def test_c_code_that_keeps_the_lock_keeps_its_lease
        enqueue("LockJob", 3.5)
        work("--lease", "1", "--processes", "2") do
          await_said("LockJob", "began")
          enqueue("QuickJob")
          await_said("LockJob", "ended")
          await_counts(queue: 0, running: 0)
        end
        assert_equal(1, said.count { |line| line.first(2) == %w[LockJob began] })
        assert_equal(0, @store.counts[:dead])
      end

      private

      def draft(name, *args, **fields)
        Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => name, "args" => args,
          **fields.transform_keys(&:to_s)}))
      end
    end

    class OnSQLiteTest < JobsWorkCase
      include OnAnyStore

      def url = "sqlite:#{@dir}/jobs.db"

      # At the second Ctrl-C the supervisor kills its worker, and the isolated workers end as well.
      def test_a_worker_that_stops_at_once_leaves_no_suspect
        gate = "#{@dir}/gate"
        suspect = enqueue("GateJob", gate, "raffia" => {"crashes" => 1})
        work("--processes", "1", "--timeout", "600") do |worker|
          await_said("GateJob", "began")
          worker.kill(:INT)
          await("it does not stop") { worker.err.include?("draining") }
          worker.kill(:INT)
          assert_equal(0, worker.ended.exitstatus)
          await_counts(queue: 1, running: 0)
        end
        assert_equal(1, @store.find(suspect).item["raffia"]["crashes"])
        assert_equal(1, said.size)
      ensure
        File.write(gate, "")
      end

      # Other workers go on.
      def test_a_suspect_that_hangs_is_killed_and_charged
        hog = enqueue("HogJob", "raffia" => {"crashes" => 2})
        work("--hang-timeout", "2", "--lease", "600") do |worker|
          await_said("HogJob", "began")
          enqueue("QuickJob", "beside")
          await_said("QuickJob", "beside")
          await_counts(queue: 0, running: 0, dead: 1)
          assert_equal([hog, 3], @store.entries(:dead).first
            .then { |entry| [entry.jid, entry.item["raffia"]["crashes"]] })
          steps = logged("isolated worker hangs").map { |line| JSON.parse(line)["done"] }
          assert_equal(%w[dump TERM KILL], steps)
          await("its monitor says nothing") { logged("worker died").any? }
          assert_match(/"hung":true/, logged("worker died").first)
          enqueue("QuickJob", "after")
          await_said("QuickJob", "after")
          assert_empty(logged("no heartbeat"))
        end
        assert_equal(1, said.count { |line| line.first == "HogJob" })
      end

      # A job that computes for longer than the lease: no other worker may take it, even when
      # the supervisor reports a blocked loop.
      def test_a_job_that_holds_up_the_loop_is_left_alone
        enqueue("HogJob")
        work("--lease", "1") do |worker|
          await_said("HogJob", "began")
          await("its loop turns") { worker.err.include?("loop blocked") }
          assert_equal(1, @store.counts[:running])
          worker.kill(:KILL)
        end
        assert_equal(1, said.size)
        await("its job is not given back") { @store.counts[:running].zero? }
        assert_nil(@store.entries(:queue).first.item["raffia"], "the death was the supervisor's")
      end
    end

    class OnRedisTest < JobsWorkCase
      include OnAnyStore

      def url = "redis://127.0.0.1:#{TestSupport::Redis.running.port}/4"

      def setup
        super
        @store.client.tap { |redis| redis.call("FLUSHDB") }.close
      end
    end

    class OnMySQLTest < JobsWorkCase
      include OnAnyStore

      def url = @url ||= TestSupport::JobsMySQL.database(server, "deaths_#{object_id}")

      def teardown
        super
        return unless @server

        TestSupport::JobsMySQL.database(@server, "deaths_#{object_id}", "DROP DATABASE IF EXISTS")
      end

      private

      def server = @server ||= TestSupport::MariaDB.running
    end

    class OnPostgresTest < JobsWorkCase
      include OnAnyStore

      def url = "postgres://postgres@127.0.0.1:#{server.port}/postgres?schema=deaths_#{object_id}"

      def teardown
        super
        return unless @server

        PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", dbname: "postgres")
          .tap do |connection|
          connection.exec("SET client_min_messages = error; DROP SCHEMA IF EXISTS " \
            "deaths_#{object_id} CASCADE")
        end.close
      end

      private

      def server = @server ||= TestSupport::PostgreSQL.running
    end
  end
end
