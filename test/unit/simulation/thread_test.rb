# frozen_string_literal: true

require "test_helper"
require "monitor"
require "timeout"
require "raffia/simulation"

# A simulated thread answers as a real one does. Each program runs both ways, and its result must be
# the same; the times that it waits are short for the real one.
class SimulationThreadTest < Raffia::TestCase
  PAUSE = 0.01

  PROGRAMS = {
    "value and join" => lambda {
      thread = Thread.new(1, 2) { |a, b| a + b }
      [thread.value, thread.join.equal?(thread), thread.status, thread.alive?, thread.stop?]
    },
    "an error" => lambda {
      thread = Thread.new do
        Thread.current.report_on_exception = false
        raise ArgumentError, "x"
      end
      error = begin
        thread.value
      rescue ArgumentError => raised
        raised.message
      end
      [error, thread.status, thread.alive?]
    },
    "join with a limit" => lambda {
      thread = Thread.new { sleep }
      before = thread.join(PAUSE)
      thread.kill
      [before, thread.join.equal?(thread), thread.status]
    },
    "join itself" => lambda {
      begin
        Thread.current.join
      rescue ThreadError => error
        error.message
      end
    },
    "kill runs ensure, and no rescue" => lambda {
      events = []
      thread = Thread.new do
        sleep
      rescue Exception # standard:disable Lint/RescueException
        events << :rescued
      ensure
        events << :ensured
      end
      sleep PAUSE
      thread.kill.join
      [events, thread.status]
    },
    "raise in a sleep" => lambda {
      thread = Thread.new do
        sleep
      rescue => error
        [error.class, error.message]
      end
      sleep PAUSE
      thread.raise(IOError, "stop")
      thread.value
    },
    "raise a class, a text, an object, nothing" => lambda {
      [[IOError], ["text"], [IOError.new("object")], []].map do |arguments|
        thread = Thread.new do
          sleep
        rescue => error
          [error.class, error.message]
        end
        sleep PAUSE
        thread.raise(*arguments)
        thread.value
      end
    },
    "raise in Mutex#lock" => lambda {
      mutex = Mutex.new
      mutex.lock
      thread = Thread.new do
        mutex.lock
      rescue => error
        [error.message, mutex.owned?]
      end
      sleep PAUSE
      thread.raise("stop")
      value = thread.value
      mutex.unlock
      [value, mutex.locked?]
    },
    "raise in ConditionVariable#wait locks again" => lambda {
      mutex = Mutex.new
      condition = ConditionVariable.new
      thread = Thread.new do
        mutex.synchronize do
          condition.wait(mutex)
        rescue => error
          [error.message, mutex.owned?]
        end
      end
      sleep PAUSE
      thread.raise("stop")
      thread.value
    },
    "kill in ConditionVariable#wait while the mutex is held" => lambda {
      mutex = Mutex.new
      condition = ConditionVariable.new
      owned = nil
      thread = Thread.new do
        mutex.synchronize do
          condition.wait(mutex)
        ensure
          owned = mutex.owned?
        end
      end
      sleep PAUSE
      sleep PAUSE
      mutex.synchronize do
        condition.signal
        sleep PAUSE
        thread.kill
        sleep PAUSE
      end
      [thread.join.status, owned, mutex.locked?]
    },
    "accessors that a program adds" => lambda {
      Thread.attr_accessor :added_by_a_program
      thread = Thread.new { Thread.current.added_by_a_program = 5 }
      thread.join
      [thread.added_by_a_program, thread.respond_to?(:added_by_a_program),
        Thread.current.added_by_a_program]
    },
    "raise in the thread itself" => lambda {
      begin
        Thread.current.raise("me")
      rescue => error
        error.message
      end
    },
    "handle_interrupt defers" => lambda {
      events = []
      thread = Thread.new do
        Thread.current.report_on_exception = false
        Thread.handle_interrupt(RuntimeError => :never) do
          sleep PAUSE * 4
          events << [:slept, Thread.pending_interrupt?, Thread.pending_interrupt?(IOError)]
        end
        events << :not_reached
      end
      sleep PAUSE
      thread.raise("late")
      begin
        thread.join
      rescue => error
        events << error.message
      end
      events
    },
    "handle_interrupt :on_blocking" => lambda {
      events = []
      thread = Thread.new do
        Thread.handle_interrupt(RuntimeError => :on_blocking) do
          events << 1
          sleep
          events << 2
        end
      rescue => error
        events << error.message
      end
      sleep PAUSE
      thread.raise("now")
      thread.join
      events
    },
    "a wrong mask" => lambda {
      begin
        Thread.handle_interrupt(RuntimeError => :sometimes) {}
      rescue ArgumentError => error
        error.message
      end
    },
    "wakeup and run" => lambda {
      threads = Array.new(2) { Thread.new { [sleep.class, :up] } }
      sleep PAUSE
      threads[0].wakeup
      threads[1].run
      threads.map(&:value)
    },
    "wakeup of a dead thread" => lambda {
      thread = Thread.new {}
      thread.join
      begin
        thread.wakeup
      rescue ThreadError => error
        error.message
      end
    },
    "stop" => lambda {
      thread = Thread.new { Thread.stop || :up }
      sleep PAUSE
      before = [thread.status, thread.stop?]
      thread.run
      [before, thread.value]
    },
    "locals, variables, names" => lambda {
      Thread.current[:a] = 1
      thread = Thread.new do
        Thread.current[:b] = 2
        Thread.current.thread_variable_set(:c, 3)
        Thread.current.name = "named"
        [Thread.current[:a], Thread.current.key?(:b), Thread.current.keys.count(:b),
          Fiber.new { [Thread.current[:b], Thread.current.thread_variable_get(:c)] }.resume]
      end
      value = thread.value
      Thread.current[:a] = nil
      [value, thread[:b], thread.thread_variable_get(:c), thread.thread_variable?(:x), thread.name]
    },
    "classes" => lambda {
      thread = Thread.new { Thread.current }
      value = thread.value
      [Thread === thread, thread.is_a?(Thread), thread.instance_of?(Thread), thread.class,
        value.equal?(thread), Thread.main == Thread.current, thread.inspect[0, 9]]
    },
    "Thread.exit, Thread.kill" => lambda {
      threads = [Thread.new { Thread.exit || 1 }, Thread.new { sleep }]
      sleep PAUSE
      Thread.kill(threads[1])
      threads.map(&:value)
    },
    "Thread.start, Thread.fork" => lambda do
      [Thread.start(1) { |x| x }, Thread.fork { 2 }].map(&:value)
    end,
    "Thread.new without a block" => lambda {
      begin
        Thread.new
      rescue ThreadError => error
        error.message
      end
    },
    "Queue" => lambda {
      queue = Thread::Queue.new
      thread = Thread.new { Array.new(3) { queue.pop } }
      queue << 1
      sleep PAUSE
      queue << 2
      queue.close
      [thread.value, queue.pop(timeout: PAUSE), queue.closed?]
    },
    "a limit of Queue#pop" => -> { Thread::Queue.new.pop(timeout: PAUSE).inspect },
    "SizedQueue" => lambda {
      queue = Thread::SizedQueue.new(1)
      thread = Thread.new do
        3.times { |item| queue << item }
        queue.close
      end
      items = []
      while (item = queue.pop)
        items << item
      end
      [items, thread.join.alive?]
    },
    "a limit of SizedQueue#push" => lambda {
      queue = Thread::SizedQueue.new(1)
      queue << 1
      [queue.push(2, timeout: PAUSE), queue.size]
    },
    "a closed queue" => lambda {
      queue = Thread::SizedQueue.new(1)
      queue << 1
      thread = Thread.new do
        queue << 2
      rescue ClosedQueueError => error
        error.class
      end
      sleep PAUSE
      queue.close
      thread.value
    },
    "ConditionVariable" => lambda {
      mutex = Mutex.new
      condition = ConditionVariable.new
      ready = false
      thread = Thread.new do
        mutex.synchronize do
          condition.wait(mutex) until ready
          [:woken, mutex.owned?]
        end
      end
      sleep PAUSE
      mutex.synchronize do
        ready = true
        condition.signal
      end
      thread.value
    },
    "limits of Mutex#sleep and ConditionVariable#wait" => lambda {
      mutex = Mutex.new
      condition = ConditionVariable.new
      mutex.synchronize { [mutex.sleep(PAUSE), condition.wait(mutex, PAUSE).nil?, mutex.owned?] }
    },
    "Monitor" => lambda {
      monitor = Monitor.new
      condition = monitor.new_cond
      ready = nil
      thread = Thread.new do
        monitor.synchronize { monitor.synchronize { condition.wait_until { ready } && :done } }
      end
      sleep PAUSE
      monitor.synchronize do
        ready = true
        condition.broadcast
      end
      [thread.value, monitor.mon_locked?]
    },
    "Timeout" => lambda {
      [Timeout.timeout(5) { :value },
        begin
          Timeout.timeout(PAUSE) { sleep }
        rescue Timeout::Error => error
          [error.class, error.message]
        end,
        begin
          Timeout.timeout(PAUSE, IOError) { sleep }
        rescue IOError => error
          error.message
        end,
        begin
          Timeout.timeout(PAUSE, IOError, "mine") { sleep }
        rescue IOError => error
          error.message
        end]
    },
    "Timeout hides its error from the block" => lambda {
      begin
        Timeout.timeout(PAUSE) do
          sleep
        rescue => error
          [:seen, error.class]
        end
      rescue Timeout::Error
        :outside
      end
    },
    "nested Timeout" => lambda {
      begin
        Timeout.timeout(5) { Timeout.timeout(PAUSE, ArgumentError) { sleep } }
      rescue ArgumentError => error
        error.message
      end
    },
    "an enumerator that waits" => lambda {
      items = Enumerator.new do |yielder|
        3.times do |item|
          sleep PAUSE / 10
          yielder << item
        end
      end
      [items.next, items.next, items.next]
    },
    "throw out of a thread" => lambda {
      catch(:tag) do
        Thread.new do
          throw :tag
        rescue UncaughtThrowError => error
          error.tag
        end.value
      end
    },
    "pipes" => lambda {
      reader, writer = IO.pipe
      thread = Thread.new do
        sleep PAUSE
        writer << "text"
        writer.close
      end
      ready = IO.select([reader], nil, nil, 5)
      text = reader.read
      thread.join
      [ready.map(&:size), text, IO.select([reader], nil, nil, 0).map(&:size)]
    },
    "a select without events" => lambda {
      reader, = IO.pipe
      IO.select([reader], nil, nil, PAUSE)
    }
  }.freeze

  PROGRAMS.each do |name, program|
    test_name = name.gsub(/\W+/, "_").downcase
    define_method(:"test_#{test_name}") do
      real = Thread.new(&program).value
      simulated = Raffia::Simulation.run(ignore: %i[unjoined leaks]) { Thread.new(&program).value }
      real.nil? ? assert_nil(simulated) : assert_equal(real, simulated)
    end
  end
end
