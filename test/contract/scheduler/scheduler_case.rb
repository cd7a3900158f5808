# frozen_string_literal: true

require "test_helper"
require "support/each_backend"
require "io/nonblock"
require "io/wait"
require "open3"
require "socket"
require "stringio"
require "tempfile"
require "tmpdir"
require "timeout"
require "raffia"

# The first buffer of a process warns that they are experimental.
before = Warning[:experimental]
Warning[:experimental] = false
IO::Buffer.new(1).free
Warning[:experimental] = before

# Its thread stays for ever: not a leak of whatever test comes first.
Timeout.timeout(1) { nil }

# The suites of the scheduler run on every back end that works here.
module SchedulerCase
  BACKENDS = Raffia::Engine.probe.filter_map { |found| found[:name] if found[:ok] }

  # Seconds for a whole test, on a machine that is busy with others.
  HANGS = 60

  # Ruby writes a line and its end one after the other, and processes that share a pipe come in
  # between.
  WHOLE_LINES = "def puts(*lines) = $stdout.write(lines.flatten.map { |line| line.to_s.chomp + " \
    "10.chr }.join)"

  # Defines a test class for each back end, named after the suite.
  def self.run(suite) = TestSupport::EachBackend.define(suite, self, BACKENDS)

  # Runs the block in a fiber of a scheduler, in a thread of its own, until the scheduler has
  # nothing left to do; whatever it leaves behind fails the test.
  #
  # @param patience [Numeric] seconds until it counts as hanging
  # @yieldparam scheduler [Raffia::Scheduler]
  # @return [Object] the block's value; an exception is raised here
  def on_scheduler(offload: true, patience: HANGS, &block)
    in_thread(patience) do
      with_scheduler(offload: offload) do |scheduler|
        result = nil
        Fiber.schedule do
          result = [:value, block.call(scheduler)]
        rescue Exception => error # rubocop:disable Lint/RescueException
          result = [:error, error]
        end
        scheduler.run
        flunk("the fiber did not end") unless result
        (result.first == :error) ? raise(result.last) : result.last
      end
    end
  end

  # Sets a scheduler in the calling thread for the time of the block.
  def with_scheduler(offload: true)
    pool = Raffia::Executor::Threads::BlockingPool.new if offload
    scheduler = Raffia::Scheduler.new(backend: backend, offload: pool&.method(:call))
    Fiber.set_scheduler(scheduler)
    yield scheduler
  ensure
    Fiber.set_scheduler(nil) if Fiber.scheduler
    pool&.shutdown
  end

  # Runs the block in a thread; nothing may be left behind.
  def in_thread(patience = HANGS, &block)
    assert_no_leaks do
      thread = Thread.new do
        Thread.current.report_on_exception = false
        block.call
      end
      join(thread, patience).value
    end
  end

  def join(thread, patience = HANGS)
    return thread if thread.join(patience)

    where = thread.backtrace
    thread.kill
    flunk("hangs in\n#{where&.join("\n")}")
  end

  # Lets the other fibers run until the condition holds.
  def settle(message = "the condition did not come true")
    give_up = TestSupport.now + Raffia::TestCase::PATIENCE
    until yield
      flunk(message) if TestSupport.now > give_up
      sleep(0.001)
    end
  end

  def pipe
    ends = IO.pipe(binmode: true)
    yield(*ends)
  ensure
    ends.each(&:close)
  end

  def sockets
    ends = UNIXSocket.pair
    yield(*ends)
  ensure
    ends.each(&:close)
  end

  # A program in a process of its own: [what it printed, its Process::Status].
  def ruby(script, env = {}, signals: [])
    command = [{"RAFFIA_BACKEND" => backend.to_s, **env}, RbConfig.ruby,
      "-I#{File.expand_path("../../../lib", __dir__)}", "-W0", "-e", WHOLE_LINES, "-e", script]
    out = IO.popen(command, err: %i[child out]) do |io|
      signals.each do |line, signal|
        text = io.gets
        flunk("the program said #{text.inspect} instead of #{line}") unless text&.chomp == line
        ::Process.kill(signal, io.pid)
      end
      io.read
    end
    [out, $?]
  end
end
