# frozen_string_literal: true

require_relative "case"

module Raffia
  # Pools and supervisors whose actors fail, cannot begin, or end by themselves.
  class CompatCelluloidSupervisionTest < CelluloidCase
    BEGINNING = CelluloidCase::BEGINNING + <<~RUBY
      Celluloid.shutdown_timeout = 0.2
      class Worker
        include Celluloid
        def ping = :pong
        def boom(kind = RuntimeError) = raise(kind, "boom")
        def leave = terminate
      end
    RUBY

    def test_pools_that_begin_at_the_same_time_are_each_their_own
      assert_prints "[:first, :second, :third]\n", <<~RUBY
        kinds = %i[first second third].map do |name|
          Class.new(Worker) do
            define_method(:initialize) { sleep 0.02 }
            define_method(:who) { name }
          end
        end
        p kinds.map { |kind| Thread.new { kind.pool(size: 2) } }.map { |thread| thread.value.who }
      RUBY
    end

    def test_a_pool_whose_workers_cannot_begin_goes_on_when_they_can
      assert_prints "RuntimeError: boom\nRuntimeError: cannot begin\n" \
        "RuntimeError: cannot begin\n:pong\n1\n", <<~RUBY
          BAD = Thread::Queue.new
          class Picky < Worker
            def initialize = BAD.empty? || raise("cannot begin")
          end
          pool = Picky.pool(size: 1)
          BAD << true
          puts said { pool.boom }
          asked = 2.times.map { pool.future.ping }
          asked.each { |future| puts said { future.value(20) } }
          BAD.clear
          p pool.future.ping.value(20), pool.actors.size
        RUBY
    end

    def test_a_pool_has_others_in_the_place_of_workers_that_left_and_survives_errors_of_every_kind
      assert_prints "[:pong, :pong]\nNotImplementedError: boom\n:pong\nfalse\n", <<~RUBY
        pool = Worker.pool(size: 1)
        asked = [pool.future.leave, pool.future.ping, pool.future.ping]
        p asked.last(2).map { |future| future.value(20) }
        puts said { pool.boom(NotImplementedError) }
        p pool.future.ping.value(20), pool.dead?
      RUBY
    end

    def test_only_what_fails_quickly_waits_for_its_next_start
      assert_prints "[0, 0, 0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]\n" \
        "[0, 0, 0, 0, 0, 0]\n[0, 0, nil]\n[0, 0, 0]\n", <<~RUBY
          backoff, now = Celluloid::Supervision::Backoff.new, 100
          p Array.new(11) { backoff.next(now).tap { |delay| now += delay + 0.5 } }
          p Array.new(6) { backoff.next(now += 8) }
          backoff = Celluloid::Supervision::Backoff.new(2, 60)
          p [0, 20, 40].map { |seconds| backoff.next(seconds) }
          backoff = Celluloid::Supervision::Backoff.new(2, 60)
          p [0, 20, 61].map { |seconds| backoff.next(seconds) }
        RUBY
    end

    def test_blocks_come_through_a_pool_and_so_do_their_errors
      assert_prints "[:done, [0, 1, 2]]\n10\nRuntimeError: in the block\n:pong\n", <<~RUBY
        class Counts < Worker
          def each = (3.times { |number| yield number }; :done)
        end
        pool, seen = Counts.pool(size: 1), []
        p [pool.each { |number| seen << number }, seen]
        p(pool.each { |number| break number + 10 })
        puts said { pool.each { raise "in the block" } }
        p pool.future.ping.value(20)
      RUBY
    end

    def test_calls_wait_in_a_pool_without_a_task_and_are_answered_when_it_ends
      assert_prints "[0, 2000]\n2000\nCelluloid::DeadActorError\n", <<~RUBY
        GATE = Thread::Queue.new
        class Counts < Worker
          def hold(held) = (held << true; GATE.pop)
          def count(done) = done << true
        end
        pool, held, done = Counts.pool(size: 1), Thread::Queue.new, Thread::Queue.new
        pool.async.hold(held)
        held.pop
        2_000.times { pool.async.count(done) }
        pool.size
        p [Celluloid::Actor.cell(pool).tasks.size, Celluloid::Actor.cell(pool).stats[:mailbox]]
        GATE << true
        wait_until { done.size == 2_000 }
        p done.size
        pool.async.hold(held)
        held.pop
        future = pool.future.count(done)
        pool.terminate!
        GATE << true
        puts said { future.value(20) }.split(": ").first
      RUBY
    end

    def test_a_pool_is_made_smaller_while_its_workers_fail
      assert_prints "0\n:pong\n", <<~RUBY
        GATE = Thread::Queue.new
        class Fails < Worker
          def hold(held) = (held << true; GATE.pop; raise "broken")
        end
        pool, held = Fails.pool(size: 1), Thread::Queue.new
        pool.async.hold(held)
        held.pop
        smaller = Thread.new { pool.size = 0; pool.size }
        wait_until { Celluloid::Actor.cell(pool).tasks.any? { |task| task.status == :condwait } }
        GATE << true
        p smaller.join(20)&.value
        pool.size = 1
        p pool.future.ping.value(20)
      RUBY
    end

    def test_a_pool_that_cannot_grow_lives_on
      assert_prints "RuntimeError: cannot begin\n:pong\n", <<~RUBY
        BAD = Thread::Queue.new
        class Picky < Worker
          def initialize = BAD.empty? || raise("cannot begin")
        end
        pool = Picky.pool(size: 1)
        BAD << true
        puts said { pool.size = 2 }
        p pool.future.ping.value(20)
      RUBY
    end

    def test_a_pool_slows_down_for_workers_that_fail_at_once_and_not_for_calls_that_fail
      assert_prints "true\n20\n", <<~RUBY
        STARTS = Thread::Queue.new
        class Falls < Worker
          def initialize = (STARTS << true; async.boom)
        end
        Falls.pool(size: 1)
        Kernel.sleep 0.5
        p STARTS.size < 12
        pool = Worker.pool(size: 1)
        futures = 20.times.map { pool.future.boom }
        p futures.count { |future| said { future.value(20) } == "RuntimeError: boom" }
      RUBY
    end

    def test_calls_of_a_pool_are_served_in_their_order
      assert_prints "true\n", <<~RUBY
        class Notes < Worker
          def note(number, seen) = (sleep(0); seen << number)
        end
        pool, seen = Notes.pool(size: 1), []
        300.times.map { |number| pool.future.note(number, seen) }.each { |future| future.value(20) }
        p seen == 300.times.to_a
      RUBY
    end

    def test_what_begins_others_when_it_is_restarted
      assert_prints ":pong\n", <<~RUBY
        class Main < Worker
          def initialize = @pool = Worker.pool(size: 1)
          def ask = @pool.ping
        end
        Main.supervise(as: :main)
        first = Celluloid::Actor[:main]
        said { first.boom }
        wait_until { Celluloid::Actor[:main].alive? }
        p Celluloid::Actor[:main].future.ask.value(20)
      RUBY
    end

    def test_what_cannot_be_supervised_is_told_to_whoever_asked_and_the_others_live_on
      assert_prints "NotImplementedError: cannot begin\nArgumentError\n:pong\ntrue\n", <<~RUBY
        class Never < Worker
          def initialize = raise(NotImplementedError, "cannot begin")
        end
        Worker.supervise(as: :worker)
        worker = Celluloid::Actor[:worker]
        puts said { Never.supervise(as: :never) }
        puts said { Worker.supervise(as: :other, args: [1, 2]) }.split(":").first
        p worker.ping, Celluloid::Actor[:worker].eql?(worker)
      RUBY
    end

    def test_what_is_removed_while_it_waits_for_its_next_start_does_not_begin_again
      assert_prints "[]\ntrue\n", <<~RUBY
        STARTS = Thread::Queue.new
        class Once < Worker
          def initialize = (STARTS << true; STARTS.size > 1 and raise("cannot begin"))
        end
        group = Celluloid::Supervision::Container.run!
        group.supervise(type: Once, as: :once)
        said { Celluloid::Actor[:once].boom }
        wait_until { STARTS.size == 2 }
        group.remove(group.actors.first)
        p group.actors
        STARTS.clear
        Kernel.sleep 0.5
        p STARTS.size <= 1 # the one that was underway
      RUBY
    end
  end
end
