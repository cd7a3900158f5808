# frozen_string_literal: true

require "test_helper"
require "date"
require "monitor"
require "socket"
require "timeout"
require "raffia/simulation"

module Raffia
  # Everything that waits or reads a clock uses the virtual one of its world.
  class SimulationVirtualTimeTest < TestCase
    HOUR = 3600
    # Each takes an hour.
    WAITS = {
      "sleep" => -> { sleep(HOUR) },
      "sleep of a Rational" => -> { sleep(HOUR.to_r) },
      "sleep without a limit" => -> {
        thread = Thread.current
        Thread.new {
          sleep(HOUR)
          thread.wakeup
        }
        sleep
      },
      "Timeout" => -> { expired(::Timeout::Error) { ::Timeout.timeout(HOUR) { sleep } } },
      "Timeout with a class" => -> {
        expired(KeyError) { ::Timeout.timeout(HOUR, KeyError) { sleep } }
      },
      "Timeouts with equal limits" => -> {
        expired(::Timeout::Error) { ::Timeout.timeout(HOUR) { ::Timeout.timeout(HOUR) { sleep } } }
      },
      "Queue#pop" => -> { Queue.new.pop(timeout: HOUR) },
      "SizedQueue#push" => -> { SizedQueue.new(1).tap { |one| one << 1 }.push(2, timeout: HOUR) },
      "Mutex#sleep" => -> { Mutex.new.tap(&:lock).sleep(HOUR) },
      "ConditionVariable#wait" => -> {
        ConditionVariable.new.wait(Mutex.new.tap(&:lock), HOUR)
      },
      "Monitor's condition" => -> {
        monitor = Monitor.new
        monitor.synchronize { monitor.new_cond.wait(HOUR) }
      },
      "Thread#join" => -> {
        thread = Thread.new { sleep }
        thread.join(HOUR)
        thread.kill.join
      },
      "IO#timeout of a read" => -> {
        reader, = IO.pipe
        reader.timeout = HOUR
        expired(IO::TimeoutError) { reader.read(1) }
      },
      "IO#timeout of a write" => -> {
        _, writer = IO.pipe
        writer.timeout = HOUR
        expired(IO::TimeoutError) { writer.write("x" * 1_000_000) }
      },
      "IO#wait_readable" => -> { IO.pipe.first.wait_readable(HOUR) },
      "IO.select" => -> { IO.select([IO.pipe.first], nil, nil, HOUR) },
      "IO.select of nothing" => -> { IO.select(nil, nil, nil, HOUR) },
      "a task's sleep" => -> { Raffia.run { |scope| scope.spawn { sleep(HOUR) }.value } },
      "Raffia.timeout" => -> {
        Raffia.run { expired(Raffia::TimeoutError) { Raffia.timeout(HOUR) { sleep } } }
      },
      "Timeout in a task" => -> {
        Raffia.run { expired(::Timeout::Error) { ::Timeout.timeout(HOUR) { sleep } } }
      },
      "Queue#pop in a task" => -> { Raffia.run { Queue.new.pop(timeout: HOUR) } },
      "Channel#receive of a task that sleeps" => -> {
        Raffia.run do |scope|
          channel = Raffia::Channel.new
          scope.spawn {
            sleep(HOUR)
            channel.push(1)
          }
          channel.pop
        end
      },
      "RateLimiter" => -> {
        Raffia.run { Raffia::RateLimiter.new(1, per: HOUR).then { |one| 2.times { one.acquire } } }
      }
    }.freeze

    def self.expired(error)
      yield
      raise "it did not expire"
    rescue error
      nil
    end

    WAITS.each do |name, wait|
      define_method(:"test_an_hour_of_#{name.gsub(/\W+/, "_")}") do
        monotonic, wall = simulate(&wait)
        assert_equal [HOUR, HOUR], [monotonic, wall], name
      end
    end

    CLOCKS = %i[CLOCK_REALTIME CLOCK_MONOTONIC CLOCK_BOOTTIME CLOCK_MONOTONIC_RAW CLOCK_TAI
      CLOCK_MONOTONIC_COARSE CLOCK_REALTIME_COARSE CLOCK_PROCESS_CPUTIME_ID
      CLOCK_THREAD_CPUTIME_ID].select { |name| ::Process.const_defined?(name) }.freeze
    UNITS = {float_second: 3600.0, float_millisecond: 3.6e6, float_microsecond: 3.6e9, second: 3600,
             millisecond: 3_600_000, microsecond: 3_600_000_000,
             nanosecond: 3_600_000_000_000}.freeze

    def test_clocks_and_units
      CLOCKS.product(UNITS.to_a).each do |clock, (unit, hour)|
        passed = run_world do
          before = ::Process.clock_gettime(::Process.const_get(clock), unit)
          sleep(HOUR)
          ::Process.clock_gettime(::Process.const_get(clock), unit) - before
        end
        assert_equal hour, passed, "#{clock} in #{unit}"
        assert_kind_of hour.class, passed
      end
    end

    # Readings of the wall clock, at 2038-01-19 03:14:08.25 UTC.
    SHOWN = {
      ["Time.now", -> { Time.now.utc.to_s }] => "2038-01-19 03:14:08 UTC",
      ["Time.now(in:)", -> { Time.now(in: "+09:00").to_s }] => "2038-01-19 12:14:08 +0900",
      ["Time.new", -> { Time.now.to_f }] => 2_147_483_648.25,
      ["Time.new(in:)", -> { Time.new(in: "UTC").to_s }] => "2038-01-19 03:14:08 UTC",
      ["Time.new of a year", -> { Time.new(2000, 1, 1, in: "UTC").to_i }] => 946_684_800,
      ["a class of times", -> { Class.new(Time).now.to_i }] => 2_147_483_648,
      ["Date.today", -> { Date.today.to_s }] => "2038-01-19",
      ["a class of dates", -> { (kind = Class.new(Date)).today.instance_of?(kind) }] => true,
      ["DateTime.now", -> { DateTime.now.new_offset(0).iso8601(2) }] =>
        "2038-01-19T03:14:08.25+00:00"
    }.freeze

    def test_the_wall_clock
      SHOWN.each do |(name, shown), expected|
        start = Time.utc(2038, 1, 19, 3, 14, 7.25r)
        actual = run_world(start: start) do
          sleep(1)
          shown.call
        end
        assert_equal expected, actual, name
      end
      assert_operator Time.now.year, :<, 2038
      assert_operator Date.today.year, :<, 2038
      assert_operator DateTime.now.year, :<, 2038
    end

    def test_a_change_to_summer_time
      script = <<~RUBY
        require "raffia/simulation"
        Raffia::Simulation.run(start: Time.new(2026, 3, 29, 1, 59, 59)) do
          before = Time.now
          sleep(2)
          puts before, Time.now, Time.now - before
        end
      RUBY
      assert_equal "2026-03-29 01:59:59 +0100\n2026-03-29 03:00:01 +0200\n2.0\n",
        with_zone("Europe/Berlin") { output_of(script) }
    end

    def test_sleeps_that_take_no_time
      run_world do |sim|
        assert_equal 0, sleep(0)
        assert_raises(ArgumentError) { sleep(-1) }
        assert_raises(TypeError) { sleep("1") }
        assert_in_delta 0, sim.now
        assert_equal HOUR, sleep(HOUR)
      end
    end

    # Rails' travel_to, Minitest's stub and Timecop save a method by alias_method.
    def test_stubs_by_alias_survive
      run_world { Time.now }
      {Time => :now, Date => :today, DateTime => :now, ::Process => :clock_gettime,
       Kernel => :sleep, ::Timeout => :timeout, Random => :urandom}.each do |owner, name|
        arguments = {clock_gettime: [::Process::CLOCK_REALTIME], sleep: [0], timeout: [nil],
                     urandom: [1]}.fetch(name, [])
        assert_equal :stubbed, stubbed(owner, name) { owner.send(name, *arguments) }
        refute_equal :stubbed, owner.send(name, *arguments) { :original }, "#{owner}.#{name}"
        assert_equal 2000, run_world { Time.now.year }
      end
      assert_operator Time.now.year, :>, 2000
    end

    def test_stubs_of_threads_and_sockets_by_alias_survive
      run_world { Thread.new { nil }.join }
      {[Thread, :new] => [], [Thread, :list] => [], [Fiber, :new] => [],
       [TCPServer, :new] => ["127.0.0.1", 0], [UDPSocket, :new] => [], [UNIXSocket, :pair] => [],
       [Socket, :new] => [:INET], [Resolv, :getaddress] => ["127.0.0.1"]}
        .each do |(owner, name), arguments|
        assert_equal :stubbed, stubbed(owner, name) { owner.send(name, *arguments) }
        block = -> { :original } unless owner <= BasicSocket # whose new takes none
        value = owner.send(name, *arguments, &block)
        refute_equal :stubbed, value, "#{owner}.#{name}"
        [value].flatten.grep(IO).each(&:close)
      end
      assert_equal 7, run_world { Thread.new { 7 }.value }
    end

    def test_pairs_of_sockets_with_a_block
      pair = lambda do
        kept = nil
        [UNIXSocket.pair { |*sockets| (kept = sockets.flatten).size }, kept.map(&:closed?)]
      end
      assert_equal [2, [true, true]], run_world { pair.call }
      assert_equal [2, [true, true]], pair.call
    end

    def test_methods_of_classes_and_their_superclasses_are_replaced
      run_world { nil }
      server = TCPServer.new("127.0.0.1", 0)
      client = TCPSocket.open("127.0.0.1", server.addr[1])
      assert_equal [TCPServer, TCPSocket], [server.class, client.class]
      assert_equal [UNIXServer] * 2, UNIXServer.pair.map { |one| one.tap(&:close).class }
    ensure
      [server, client].compact.each(&:close)
    end

    def test_cron
      unless Gem::Specification.find_all_by_name("fugit").any?
        skip "the gem fugit is not installed (bin/setup)"
      end
      require "fugit"
      run_world(start: Time.utc(2026, 12, 31, 23, 30)) do
        due = Fugit.parse_cron("0 * * * * UTC").next_time.to_i
        sleep(due - Time.now.to_i)
        assert_equal Time.utc(2027), Time.now
      end
    end

    # 100 fibers retry for an hour: 6 attempts each, and so at most a few steps for each attempt.
    def test_an_hour_of_retries_takes_a_few_steps
      attempts = 0
      now = run_world do |sim|
        Raffia.run do |scope|
          100.times do
            scope.spawn do
              Raffia.retry(times: 6, backoff: 116, max: HOUR, jitter: 0) do |attempt|
                attempts += 1
                raise IOError, "away" if attempt < 6
              end
            end
          end
        end
        sim.now
      end
      assert_equal [600, 116 * 31.0], [attempts, now]
    end

    private

    def stubbed(owner, name)
      one = owner.singleton_class
      one.alias_method(:saved, name)
      one.define_method(name) { |*| :stubbed }
      value = yield
      one.alias_method(name, :saved)
      one.undef_method(:saved)
      value
    end

    def run_world(**, &) = Simulation.run(preempt: :none, virtual_limit: 10 * HOUR, **, &)

    # Returns seconds that the block took by both clocks.
    def simulate(&block)
      run_world(ignore: [:leaks]) do |sim|
        monotonic = Clock.now
        wall = Time.now
        self.class.instance_exec(&block)
        [Clock.now - monotonic, Time.now - wall]
      end
    end

    def with_zone(zone)
      before = ENV["TZ"]
      ENV["TZ"] = zone
      yield
    ensure
      ENV["TZ"] = before
    end
  end
end
