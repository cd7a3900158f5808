# frozen_string_literal: true

require_relative "../contract/scheduler/scheduler_case"

# Operations of all kinds that are broken off at random: none is woken twice or never, and nothing
# is left of them. RAFFIA_STORM says how many (rake test:storm: a million), RAFFIA_STORM_SEED
# repeats one.
module SchedulerStormSuite
  SIZE = Integer(ENV.fetch("RAFFIA_STORM", 30_000))
  SEED = Integer(ENV.fetch("RAFFIA_STORM_SEED") { Random.new_seed % 1_000_000 })
  WORKERS = 24
  LONGEST = 0.0005 # seconds of a wait

  # From a fiber or a thread, to one fiber; numbered.
  class Strike < StandardError
    attr_reader :number

    def initialize(number)
      @number = number
      super("strike #{number}")
    end
  end

  # From a thread, to whatever fiber runs.
  Bolt = Class.new(StandardError)

  # A fiber that works, and remembers what it was sent and what it got.
  class Worker
    attr_reader :sent, :got, :ends
    attr_accessor :fiber, :written, :read, :helpers

    def initialize
      @sent, @got = 0, []
      @written = @read = @helpers = 0
      @closing = false
      @lock = Mutex.new
      @ends = UNIXSocket.pair
    end

    # @return [void]
    def strike(scheduler, number)
      @lock.synchronize do
        return if @closing || fiber.nil?

        @sent += 1
        scheduler.fiber_interrupt(fiber, Strike.new(number))
      end
    end

    def survive
      yield
    rescue Strike => strike
      @got << strike.number
    end

    # After this nothing more is sent; what was, arrives.
    def finish
      survive { @lock.synchronize { @closing = true } } until @closing
      survive { sleep(0.0005) } while @got.size < @sent || @helpers.positive?
    end
  end

  # The places where operations meet.
  class Ground
    attr_reader :scheduler, :random, :queue, :mutex, :pushed, :popped, :reader, :writer
    attr_accessor :inside, :done

    def initialize(scheduler, seed, operations)
      @scheduler = scheduler
      @operations = operations
      @random = Random.new(seed)
      @queue = Thread::Queue.new
      @mutex = Mutex.new
      @pushed, @popped = [], []
      @inside = @done = 0
      @reader, @writer = IO.pipe
    end

    def moment = random.rand * LONGEST

    def over? = done >= SIZE

    def operate(worker)
      @done += 1
      public_send(@operations[random.rand(@operations.size)], worker)
    end

    def wait(_worker)
      writer << "x" if random.rand(3).zero?
      reader.wait_readable(moment)
      reader.read_nonblock(3, exception: false)
    end

    def nap(_worker) = sleep(moment)

    def pop(_worker)
      pushed << done && queue << done if random.rand(2).zero?
      item = queue.pop(timeout: moment)
      popped << item if item
    end

    def limited(_worker)
      Timeout.timeout(moment) do
        random.rand(2).zero? ? sleep(moment) : mutex.synchronize { sleep(moment) }
      end
    rescue Timeout::Error
      nil
    end

    # A helper that is not interrupted writes.
    def read(worker)
      worker.helpers += 1
      scheduler.fiber do
        scheduler.yield if random.rand(2).zero?
        count = worker.ends.last.write("x" * random.rand(1..3))
        worker.written += count
        worker.helpers -= 1
      end
      count = worker.ends.first.readpartial(10).bytesize
      worker.read += count
    end

    def lock(_worker)
      mutex.synchronize do
        raise "two of them hold the lock" unless (self.inside += 1) == 1
        random.rand(2).zero? ? scheduler.yield : sleep(moment / 5)
      ensure
        self.inside -= 1
      end
    end

    def start(worker)
      worker.helpers += 1
      me = Fiber.current
      scheduler.fiber do
        sleep(moment) if random.rand(2).zero?
        scheduler.unblock(:storm, me) if random.rand(2).zero?
        worker.helpers -= 1
      end
      scheduler.block(:storm, moment)
    end

    def turn(_worker) = scheduler.yield

    def close
      [reader, writer].each(&:close)
    end
  end

  def test_interrupts
    storm(%i[wait nap pop limited read lock start turn]) do |ground|
      workers = Array.new(WORKERS) { Worker.new }
      number = 0
      strike = -> { workers.sample(random: ground.random).strike(ground.scheduler, number += 1) }
      workers.each { |worker| Fiber.schedule { work(ground, worker) } }
      Fiber.schedule { sleep(ground.moment) && strike.call until ground.over? }
      thread = Thread.new { sleep(0.001) && strike.call until ground.over? }
      ground.scheduler.run
      thread.join
      ground.scheduler.run
      check(ground, workers)
    end
  end

  # An interrupt may hit a thread between any two steps, of Ruby's own code too. So the test can
  # only check that the rest continues. No fiber waits for a step that an interrupt may have
  # prevented. In Ruby code, like the portable scheduler's, even the wake-up of a lock can be broken
  # off.
  def test_bolts
    storm(%i[wait nap pop start turn] + ((backend == :select) ? [] : %i[limited lock])) do |ground|
      workers = Array.new(WORKERS) { Worker.new }
      ended = []
      workers.each { |worker| endure { Fiber.schedule { bear(ground, worker, ended) } } }
      thread = Thread.current
      thunder = Thread.new { sleep(0.002) && thread.raise(Bolt) until ground.over? }
      endure { run_in_thunder(ground.scheduler, thunder) }
      ground.scheduler.run
      assert_equal WORKERS, ended.uniq.size, seed
      calm(ground)
      workers.each { |worker| worker.ends.each(&:close) }
    end
  end

  def test_cancelled_tasks
    random = Random.new(SEED)
    results = []
    assert_no_leaks do
      join_within(limit, Thread.new do
        Raffia.run(backend: backend) do |root|
          (SIZE / 50).times { results.concat(cancel_some(random)) }
          assert_equal 0, root.size
        end
      end)
    end
    assert_equal [:cancelled, :done], results.uniq.sort, seed
    assert_equal SIZE / 50 * 10, results.size
  end

  private

  def seed = "RAFFIA_STORM_SEED=#{SEED} RAFFIA_STORM=#{SIZE}"

  def limit = 30 + SIZE / 2000

  def join_within(seconds, thread)
    thread.report_on_exception = false
    return thread.value if thread.join(seconds)

    where = thread.backtrace
    thread.kill
    flunk("hangs (#{seed}) in\n#{where&.join("\n")}")
  end

  def storm(operations, &block)
    # Ruby's own thread for time limits stays.
    assert_no_leaks do
      join_within(limit,
        Thread.new {
          with_scheduler(offload: false) { |scheduler| in_ground(scheduler, operations, &block) }
        })
    end
  end

  def in_ground(scheduler, operations)
    ground = Ground.new(scheduler, SEED, operations)
    yield ground
  ensure
    ground.close
  end

  def work(ground, worker)
    worker.fiber = Fiber.current
    worker.survive { ground.operate(worker) } until ground.over?
    worker.finish
  end

  def check(ground, workers)
    workers.each do |worker|
      assert_equal worker.sent, worker.got.uniq.size, seed
      assert_equal worker.sent, worker.got.size, seed
      rest = worker.ends.first.read_nonblock(1_000_000, exception: false)
      assert_equal worker.written, worker.read + (rest.is_a?(String) ? rest.bytesize : 0), seed
      worker.ends.each(&:close)
    end
    ground.popped << ground.queue.pop until ground.queue.empty?
    assert_equal ground.pushed.sort, ground.popped.sort, seed
    calm(ground)
  end

  # Nothing is left.
  def calm(ground)
    refute_predicate ground.mutex, :locked?
    stats = ground.scheduler.stats
    assert_equal [0, 0], stats.values_at(:parked, :pending), seed
    assert_equal stats[:idle], stats[:live], seed if stats[:live]
  end

  def bear(ground, worker, ended)
    worker.fiber = Fiber.current
    endure { ground.operate(worker) } until ground.over?
  ensure
    ended << worker
  end

  def endure
    yield
  rescue Bolt, ThreadError
    nil
  end

  def run_in_thunder(scheduler, thunder)
    Thread.handle_interrupt(Bolt => :never) do
      endure { Thread.handle_interrupt(Bolt => :immediate) { scheduler.run } } while thunder.alive?
    end
  end

  # Each task has ended in one way when its scope has.
  def cancel_some(random)
    tasks = nil
    Raffia::Scope.open do |scope|
      queue = Thread::Queue.new
      tasks = Array.new(10) do |i|
        scope.spawn do
          i.even? ? sleep(random.rand * LONGEST) : queue.pop(timeout: random.rand * LONGEST)
        end
      end
      sleep(random.rand * LONGEST)
      tasks.sample(3, random: random).each(&:cancel)
      queue << :item
    end
    tasks.map(&:status)
  end
end

SchedulerCase.run(SchedulerStormSuite)
