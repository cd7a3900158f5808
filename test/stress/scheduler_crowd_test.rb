# frozen_string_literal: true

require_relative "../contract/scheduler/scheduler_case"

# The most connections and fibers that a machine allows, in processes of their own.
module SchedulerCrowdSuite
  CONNECTIONS = 8192
  ROUNDS = 3
  FIBERS = 30_000

  # The limit of memory maps that Linux has by default; two for each fiber.
  MAP_COUNT = "/proc/sys/vm/max_map_count"
  DEFAULT_MAP_COUNT = 65_530

  SERVER = <<~RUBY
    require "raffia"
    require "socket"

    connections, rounds = #{CONNECTIONS}, #{ROUNDS}
    server = TCPServer.new("127.0.0.1", 0)
    server.listen(1024)
    $stdout.sync = true
    puts server.local_address.ip_port
    served = ended = 0
    Raffia.run do |scope|
      connections.times do
        socket = server.accept
        scope.spawn do
          while (line = socket.gets)
            socket.write(line.upcase)
            served += 1
          end
          socket.close
          ended += 1
        end
      end
    end
    puts "served \#{served} ended \#{ended}"
  RUBY

  CLIENT = <<~RUBY
    require "raffia"
    require "socket"

    connections, rounds, port = #{CONNECTIONS}, #{ROUNDS}, Integer(ARGV.fetch(0))
    errors = Hash.new(0)
    answers = most = 0
    Raffia.run do |scope|
      places = Raffia::Semaphore.new(256)
      connect = -> { TCPSocket.new("127.0.0.1", port, fast_fallback: false) }
      sockets = Array.new(connections) { scope.spawn { places.synchronize(&connect) } }.map(&:value)
      most = sockets.size
      rounds.times do |round|
        sockets.each_with_index.map do |socket, i|
          scope.spawn do
            socket.write("question \#{i} \#{round}\\n")
            answer = socket.gets
            (answer == "QUESTION \#{i} \#{round}\\n") ? answers += 1 : errors[answer] += 1
          rescue SystemCallError, IOError => error
            errors[error.class] += 1
          end
        end.each(&:join)
      end
      sockets.each(&:close)
    end
    puts "held \#{most} answers \#{answers} errors \#{errors}"
  RUBY

  def test_connections
    skip "select(2) is for fewer" if backend == :select
    need_descriptors(CONNECTIONS + 100)
    client = (RUBY_VERSION < "3.4") ? CLIENT.sub(", fast_fallback: false", "") : CLIENT
    IO.popen(program(SERVER)) do |server|
      out = IO.popen(program(client, server.gets.to_i), &:read)
      assert_equal "held #{CONNECTIONS} answers #{CONNECTIONS * ROUNDS} errors {}\n", out
      assert_equal "served #{CONNECTIONS * ROUNDS} ended #{CONNECTIONS}\n", server.read
    rescue Minitest::Assertion
      ::Process.kill(:KILL, server.pid)
      raise
    end
    assert_predicate $?, :success?
  end

  def test_sleeping_fibers
    need_maps
    out, status = ruby(<<~RUBY)
      require "raffia"
      Stop = Class.new(StandardError)
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
      stopped = 0
      #{FIBERS}.times { Fiber.schedule { begin; sleep; rescue Stop; stopped += 1; end } }
      puts scheduler.stats[:parked]
      GC.start
      scheduler.interrupt_all(Stop.new)
      scheduler.run
      puts stopped, scheduler.stats[:parked]
    RUBY
    assert_equal ["#{FIBERS}\n", "#{FIBERS}\n", "0\n"], out.lines
    assert_predicate status, :success?
  end

  # One fiber above the limit waits until others have ended, and that is logged once.
  def test_more_than_there_is_room_for
    skip "the portable scheduler raises what Ruby raises" if backend == :select
    need_maps
    out = IO.popen(program(<<~RUBY, err: %i[child out]), &:read)
      require "raffia"
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
      ended = 0
      Fiber.schedule { 36_000.times { scheduler.launch { sleep(0.01) && ended += 1 } } }
      scheduler.run
      puts ended, scheduler.stats[:parked]
    RUBY
    warnings, rest = out.lines.partition { |line| line.start_with?("raffia: ") }
    assert_equal ["36000\n", "0\n"], rest
    assert_equal 1, warnings.size
    assert_match(
      /fibers are alive and vm\.max_map_count is \d+, and the kernel has no memory map left/,
      warnings.first
    )
    assert_predicate $?, :success?
  end

  # It is said what is short, and here that is not the number of memory maps. Ruby itself may find
  # no memory soon after.
  def test_a_limit_of_the_address_space
    skip "the portable scheduler raises what Ruby raises" if backend == :select
    out = IO.popen(program(<<~RUBY, err: %i[child out]), &:read)
      require "raffia"
      Raffia::Scheduler::FiberLimit.send(:remove_const, :TIMEOUT)
      Raffia::Scheduler::FiberLimit.const_set(:TIMEOUT, 0.1)
      pages = File.read("/proc/self/statm")[/\\d+/].to_i
      Process.setrlimit(:AS, pages * Etc.sysconf(Etc::SC_PAGESIZE) + 150_000_000)
      begin
        Raffia.run { |scope| 3000.times { scope.spawn { sleep } } }
      rescue FiberError, NoMemoryError
        exit!
      end
    RUBY
    refute_match(/max_map_count/, out)
    assert_match(
      /^raffia: .*the limit of the address space \(ulimit -v\) is \d+ KB.*ulimit -v unlimited/, out
    )
  end

  private

  def program(script, *arguments, **options)
    lib = File.expand_path("../../lib", __dir__)
    [{"RAFFIA_BACKEND" => backend.to_s}, RbConfig.ruby, "-I#{lib}", "-W:no-experimental", "-e",
      script, *arguments.map(&:to_s), options]
  end

  # Children inherit it.
  def need_descriptors(count)
    @limits = ::Process.getrlimit(:NOFILE)
    return if @limits.first >= count

    ::Process.setrlimit(:NOFILE, count, [count, @limits.last].max)
  rescue Errno::EPERM
    skip "only #{@limits.last} descriptors are allowed here: #{count} are needed"
  end

  def teardown
    ::Process.setrlimit(:NOFILE, *@limits) if @limits
  end

  def need_maps
    count = File.read(MAP_COUNT).to_i
    unless count == DEFAULT_MAP_COUNT
      skip "made for a vm.max_map_count of #{DEFAULT_MAP_COUNT}; it is #{count}"
    end
  rescue SystemCallError
    skip "this kernel does not count memory maps"
  end
end

SchedulerCase.run(SchedulerCrowdSuite)
