# frozen_string_literal: true

require_relative "scheduler_case"

# Fibers that a scheduler leaves while they are in a waiting list of core's. A fault here ends the
# whole process, so each program has a process of its own.
module SchedulerTeardownSuite
  # `scheduled` starts a thread whose scheduler runs fibers; `leave` ends it while they wait.
  PRELUDE = <<~RUBY
    require "raffia"
    $stdout.sync = true
    def scheduled(&block)
      thread = Thread.new do
        Thread.current.report_on_exception = false
        Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
        block.call
        begin
          scheduler.run
        rescue => error
          scheduler.terminate
        end
      end
      Thread.pass until thread.stop?
      thread
    end
    def leave(thread)
      thread.raise("enough")
      thread.join(20) or abort("the thread goes on")
      GC.start
    end
  RUBY

  def assert_program(expected, script)
    out, status = ruby("#{PRELUDE}\n#{script}")
    assert_predicate status, :success?, out.lines.first(3).join
    assert_equal expected, out
  end

  def test_a_mutex_can_be_unlocked_after_the_thread_of_a_waiter_has_ended
    assert_program "ensured\nunlocked\n", <<~RUBY
      (mutex = Mutex.new).lock
      leave(scheduled do
        Fiber.schedule do
          mutex.lock
        rescue Exception
          retry
        ensure
          puts "ensured"
        end
      end)
      mutex.unlock
      puts "unlocked"
    RUBY
  end

  def test_the_thread_ends_that_has_the_lock_and_the_waiter
    assert_program "free\n", <<~RUBY
      mutex = Mutex.new
      leave(scheduled do
        Fiber.schedule { mutex.synchronize { sleep } }
        Fiber.schedule { mutex.synchronize { puts "not reached" } }
      end)
      puts "free" if mutex.try_lock
    RUBY
  end

  # The first one has been woken, and has not run.
  def test_a_wake_up_goes_to_the_next_in_line
    assert_program "locked\n", <<~RUBY
      (mutex = Mutex.new).lock
      thread = scheduled do
        Fiber.schedule { mutex.lock }
        Fiber.schedule do
          sleep(0.001)
          release = $release = Queue.new
          Fiber.blocking { release.pop }
          raise "enough"
        end
      end
      other = Thread.new { mutex.synchronize { puts "locked" } }
      Thread.pass until other.stop? && $release&.num_waiting == 1
      mutex.unlock
      $release << true
      thread.join(20) or abort("the thread goes on")
      other.join(20) or abort("the wake-up is lost")
    RUBY
  end

  def test_all_waiting_lists
    assert_program "[0, 0, 1, :late]\n", <<~RUBY
      queue, sized, mutex = Queue.new, SizedQueue.new(1), Mutex.new
      condition, monitor, released = ConditionVariable.new, Monitor.new, Queue.new
      sized << 1
      sleeper = Thread.new { released.pop }
      holder = Thread.new { monitor.synchronize { released.pop } }
      Thread.pass until holder.stop? && sleeper.stop?
      leave(scheduled do
        Fiber.schedule { queue.pop }
        Fiber.schedule { queue.pop(timeout: 100) }
        Fiber.schedule { sized << 2 }
        Fiber.schedule { mutex.synchronize { condition.wait(mutex) } }
        Fiber.schedule { mutex.synchronize { condition.wait(mutex, 100) } }
        Fiber.schedule { sleeper.join }
        Fiber.schedule { sleeper.join(100) }
        Fiber.schedule { monitor.synchronize {} }
        Fiber.schedule { [1].each_entry.lazy.map { queue.pop }.each {} }
        Fiber.schedule { Enumerator.new { |all| all << queue.pop }.next }
      end)
      4.times { GC.start }
      waiting = [queue.num_waiting, sized.num_waiting]
      Array.new(50) { Fiber.new { Array.new(500) { rand.to_s } }.resume }
      queue << :late
      condition.signal
      condition.broadcast
      2.times { released << true }
      [sleeper, holder].each(&:join)
      monitor.synchronize { p [*waiting, sized.pop, queue.pop] }
    RUBY
  end

  # Ensure blocks and errors cannot make a fiber stay.
  def test_a_fiber_that_tries_again
    assert_program "[0, true]\n", <<~RUBY
      queue, mutex, condition = Queue.new, Mutex.new, ConditionVariable.new
      thread = scheduled do
        Fiber.schedule do
          mutex.synchronize { condition.wait(mutex) }
        rescue Exception
          retry
        ensure
          mutex.synchronize { sleep }
        end
        Fiber.schedule do
          begin
            queue.pop
          rescue Exception
            retry
          end
        ensure
          begin
            queue.pop
          rescue Exception
            retry
          end
        end
        Fiber.schedule do
          Enumerator.new do |all|
            all << queue.pop
          rescue Exception
            retry
          end.next
        end
        $holder = Thread.new { mutex.synchronize { sleep } }
        Thread.pass until $holder.stop?
      end
      leave(thread)
      $holder.kill.join
      p [queue.num_waiting, mutex.try_lock]
    RUBY
  end

  # Another fiber than the thread's first ends it all.
  def test_a_fiber_terminates_its_scheduler
    assert_program "[:ensured, :went_on, nil]\n", <<~RUBY
      seen = []
      mutex = Mutex.new.tap(&:lock)
      Thread.new do
        Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
        Fiber.schedule do
          mutex.lock
        ensure
          seen << :ensured
        end
        Fiber.schedule do
          Enumerator.new { |all| all << mutex.lock }.next
          seen << :not_reached
        end
        Fiber.schedule do
          sleep(0.001)
          scheduler.terminate
          seen << :went_on
        end
        scheduler.run
        seen << Fiber.scheduler
      end.join
      mutex.unlock
      p seen
    RUBY
  end

  def test_an_interrupted_run_twice
    assert_program "over\nunlocked\n", <<~RUBY
      (mutex = Mutex.new).lock
      thread = Thread.new do
        Thread.current.report_on_exception = false
        Raffia.run do |scope|
          3.times do
            scope.spawn do
              mutex.lock
            rescue Exception
              retry
            end
          end
          sleep
        end
      rescue => error
        puts "over" if error.message == "second"
      end
      Thread.pass until thread.stop?
      thread.raise("first")
      Thread.pass until Raffia::Scheduler.all.first.parked.none? { |one| one.reason == :sleep }
      thread.raise("second")
      thread.join(20) or abort("the thread goes on")
      mutex.unlock
      puts "unlocked"
    RUBY
  end
end

SchedulerCase.run(SchedulerTeardownSuite)
