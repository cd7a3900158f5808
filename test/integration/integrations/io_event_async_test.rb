# frozen_string_literal: true

require_relative "io_event_case"
require "open3"

# Async on our engine: the operations of its programs.
module IOEventAsyncSuite
  LIB = File.expand_path("../../../lib", __dir__)

  def setup
    skip "the gem async is not here" unless Raffia::Optional.available?("async")
    require "async"
    super
  end

  # Runs the block in a task of Async, on the selector of this back end. Returns its value or
  # raises its error.
  def async(&block)
    kind, value = assert_no_leaks { Thread.new { run_scheduler(&block) }.value }
    (kind == :error) ? raise(value) : value
  end

  # Errors are values here, because Async reports tasks that fail without a waiter.
  def run_scheduler
    scheduler = Async::Scheduler.new(selector: open_selector)
    Fiber.set_scheduler(scheduler)
    result = nil
    scheduler.run do |task|
      result = [:value, yield(task)]
    rescue => error
      result = [:error, error]
    end
    result
  ensure
    Fiber.set_scheduler(nil)
  end

  def test_tasks_sleep_and_end
    order = async do |task|
      order = []
      [3, 1, 2].map { |n| task.async { sleep(n * 0.01) && order << n } }.each(&:wait)
      order
    end
    assert_equal [1, 2, 3], order
  end

  def test_lines_through_a_pipe
    reader, writer = pipe
    lines = async do |task|
      lines = task.async { reader.each_line.to_a }
      task.async { 3.times { |n| writer.puts(n) } && writer.close }
      lines.wait
    end
    assert_equal %W[0\n 1\n 2\n], lines
  end

  def test_an_echo_server
    echoes = async do |task|
      server = TCPServer.new("127.0.0.1", 0)
      serving = task.async do
        loop do
          socket = server.accept
          task.async { IO.copy_stream(socket, socket) && socket.close }
        end
      end
      clients = Array.new(50) do |n|
        task.async do
          TCPSocket.open("127.0.0.1", server.addr[1]) do |socket|
            socket.write("hello #{n}")
            socket.close_write
            socket.read
          end
        end
      end
      clients.map(&:wait)
    ensure
      serving.stop
      server.close
    end
    assert_equal Array.new(50) { |n| "hello #{n}" }, echoes
  end

  # More than a pipe can hold, so that both sides wait.
  def test_large_transfers_in_both_directions
    one, other = UNIXSocket.pair.each { |socket| (@ios ||= []) << socket }
    data = "x" * 3_000_000
    read = async do |task|
      readers = [one, other].map { |socket| task.async { socket.read(data.bytesize).bytesize } }
      [one, other].each { |socket| task.async { socket.write(data) } }
      readers.map(&:wait)
    end
    assert_equal [data.bytesize] * 2, read
  end

  def test_a_timeout_ends_the_wait_and_nothing_else
    reader, writer = pipe
    result = async do |task|
      error = begin
        task.with_timeout(0.01) { reader.gets }
      rescue Async::TimeoutError => error
        error.class
      end
      writer.puts("later")
      [error, task.with_timeout(5) { reader.gets }]
    end
    assert_equal [Async::TimeoutError, "later\n"], result
  end

  def test_the_timeout_of_an_io
    reader, = pipe
    reader.timeout = 0.01
    assert_raises(IO::TimeoutError) { async { reader.read(1) } }
  end

  def test_stopped_tasks_release_the_descriptor
    reader, writer = pipe
    line = async do |task|
      stopped = Array.new(3) { task.async { reader.gets } }
      stopped.each(&:stop)
      waiting = task.async { reader.gets }
      writer.puts("for you")
      waiting.wait
    end
    assert_equal "for you\n", line
  end

  def test_processes
    result = async do |task|
      many = Array.new(5) { |n| task.async { Process.wait2(spawn("exit #{n}")).last.exitstatus } }
      [`echo out`, system("exit 2"), $?.exitstatus, many.map(&:wait)]
    end
    assert_equal ["out\n", false, 2, [0, 1, 2, 3, 4]], result
  end

  def test_a_process_that_takes_too_long
    assert_raises(Async::TimeoutError) do
      async do |task|
        pid = spawn("sleep", "60")
        task.with_timeout(0.01) { Process.wait(pid) }
      ensure
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end
    end
  end

  def test_threads_wake_tasks
    sum = async do |task|
      queue = Thread::Queue.new
      thread = Thread.new { 1_000.times { |n| queue << n } && queue.close }
      adding = task.async { Enumerator.produce { queue.pop }.take_while(&:itself).sum }
      thread.join
      adding.wait + Thread.new { sleep(0.01) && 1 }.value
    end
    assert_equal 499_501, sum
  end

  def test_mutexes_and_conditions
    result = async do |task|
      mutex = Thread::Mutex.new
      inside = most = 0
      tasks = Array.new(10) do
        task.async do
          mutex.synchronize do
            most = [most, inside += 1].max
            sleep(0.001)
            inside -= 1
          end
        end
      end
      tasks.each(&:wait)
      most
    end
    assert_equal 1, result
  end

  def test_files
    Tempfile.create("raffia") do |file|
      text = "line\n" * 10_000
      read = async do
        File.write(file.path, text)
        [File.read(file.path), IO.readlines(file.path).size, file.pread(5, 5)]
      end
      assert_equal [text, 10_000, "line\n"], read
    end
  end

  def test_an_error_is_raised
    failed = async do |task|
      task.async { sleep(0.001) && raise(ArgumentError, "mine") }.wait
    rescue ArgumentError => error
      error.message
    end
    assert_equal "mine", failed
  end

  def test_forks_of_a_busy_loop
    assert_equal "7", asked_for(<<~RUBY)
      Sync do |task|
        task.async { sleep(0.05) }
        pid = fork { exit!(Fiber.scheduler.nil? ? 7 : 1) }
        print Process.wait2(pid).last.exitstatus
      end
    RUBY
  end

  def test_a_program_selects_it_by_the_environment
    assert_equal "#{IO::Event::Selector::Raffia} #{backend}", asked_for(<<~RUBY)
      Sync do |task|
        task.async { sleep(0.001) }.wait
        selector = Fiber.scheduler.instance_variable_get(:@selector)
        print IO::Event::Selector.default, " ", selector.backend
      end
    RUBY
  end

  def test_interrupts_end_the_loop
    stopped = false
    thread = Thread.new do
      Thread.current.report_on_exception = false
      run_scheduler do |task|
        task.async { sleep }.wait
      ensure
        stopped = true
      end
    end
    wait_until { thread.stop? }
    thread.raise(Interrupt)
    assert_raises(Interrupt) { thread.join }
    assert stopped
  end

  def test_many_tasks_at_once
    pipes = Array.new(200) { pipe }
    sum = async do |task|
      readers = pipes.map { |reader, _| task.async { Integer(reader.gets) } }
      pipes.shuffle(random: Random.new(3)).each { |pair| pair.last.puts(pipes.index(pair)) }
      readers.sum(&:wait)
    end
    assert_equal 199 * 100, sum
  end

  # Output of a program with the selector in its environment.
  def asked_for(program)
    environment = {"IO_EVENT_SELECTOR" => "Raffia", "RAFFIA_BACKEND" => backend.name,
                   "RUBYOPT" => "-I#{LIB} -rraffia/integrations/io_event"}
    output, errors, status = Open3.capture3(environment, RbConfig.ruby, "-rasync", "-e", program)
    assert_predicate status, :success?, errors
    output
  end

  IOEventCase.run(self)

  # How it is found.
  class NameTest < Raffia::TestCase
    def test_it_is_used_only_on_request
      selectors = IO::Event::Selector
      assert_same selectors::Raffia, selectors.default({"IO_EVENT_SELECTOR" => "Raffia"})
      refute_same selectors::Raffia, selectors.default({})
    end

    def test_raffia_alone_does_not_load_it
      output, errors, = Open3.capture3(RbConfig.ruby, "-I#{LIB}", "-rraffia", "-e",
        "p defined?(IO::Event), defined?(Raffia::Integrations)")
      assert_equal "nil\nnil\n", output, errors
    end

    def test_without_the_gem_the_error_says_what_to_do
      _, errors, status = Open3.capture3({"RUBYOPT" => nil}, RbConfig.ruby, "--disable-gems",
        "-I#{LIB}", "-rraffia/integrations/io_event", "-e", "1")
      refute_predicate status, :success?
      assert_match(
        Regexp.new("IO::Event::Selector::Raffia needs the gem io-event.*" \
          "add this line to your Gemfile.*: gem \"io-event\", \">= 1\\.11\"", Regexp::MULTILINE),
        errors
      )
    end
  end
end
