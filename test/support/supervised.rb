# frozen_string_literal: true

require "json"
require "socket"
require "tempfile"

module TestSupport
  # A supervisor in a process of its own, as it runs in life. The script calls `supervise(workers:
  # 2, ...) { |context| ... }`, and says what the test wants to know by `say(name, data)`, from any
  # of its processes.
  class Supervised
    PRELUDE = <<~RUBY
      require "raffia"
      require "raffia/process/supervisor"
      require "logger"
      require "json"
      FACTS = IO.for_fd(3)
      FACTS.sync = true
      def say(name, data = nil) = FACTS.write(JSON.generate([name, data]) + "\\n")
      def supervise(**settings, &work)
        log = Logger.new($stderr, progname: "supervisor")
        hooks = {on_worker_ready: ->(slot) { say("ready", [slot[:index], slot[:pid]]) },
                 on_worker_exit: ->(slot, how) {
                   say("exit", [slot[:index], how.pid, how.signal, how.status])
                 }}
        hooks = hooks.merge(settings.fetch(:hooks, {}))
        $supervisor = Raffia::Process::Supervisor.new(log: log, **settings, hooks: hooks, &work)
        exit $supervisor.run
      end
    RUBY

    # For a whole process that starts, on a busy machine.
    PATIENCE = 60

    attr_reader :pid, :status

    # @param refuse [String, nil] a system call that is to fail, as refuse.rb has it
    def initialize(script, refuse: nil)
      @facts, theirs = IO.pipe
      @errors = Tempfile.create("supervised")
      @got = []
      @pid = ::Process.spawn({"REFUSE" => refuse}, RbConfig.ruby, "-W:no-experimental", "-I",
        File.expand_path("../../lib", __dir__),
        *(["-r", File.expand_path("refuse.rb", __dir__)] if refuse), "-e", PRELUDE + script,
        3 => theirs, :err => @errors.path, :in => File::NULL, :pgroup => true)
      theirs.close
    end

    # @return [Object] the data of the next fact of this name; facts of other names are kept
    def hear(name, timeout = PATIENCE)
      limit = TestSupport.now + timeout
      loop do
        found = @got.index { |fact, _| fact == name }
        return @got.delete_at(found).last if found
        rest = limit - TestSupport.now
        unless rest > 0 && @facts.wait_readable(rest)
          raise "no #{name.inspect} came; it said #{@got.inspect}, and:\n#{errors}"
        end
        line = @facts.gets or
          raise "it ended before #{name.inspect} came; it said #{@got.inspect}, and:\n#{errors}"
        @got << JSON.parse(line)
      end
    end

    # @return [Array] the data of so many facts
    def hear_all(name, count) = Array.new(count) { hear(name) }

    def heard?(name)
      @got << JSON.parse(@facts.gets) while @facts.wait_readable(0) && !@facts.eof?
      @got.any? { |fact, _| fact == name }
    end

    def kill(signal, pid = @pid) = ::Process.kill(signal, pid)

    # @return [Integer, String] exit status, or the name of the signal
    def wait
      _, @status = ::Process.wait2(@pid)
      @pid = nil
      @status.exitstatus || Signal.signame(@status.termsig)
    end

    def errors = File.read(@errors.path)

    # The end of the test, whatever happened.
    def close
      if @pid
        kill(:KILL)
        wait
      end
      File.unlink(@errors.path)
      [@facts, @errors].each(&:close)
    end
  end
end

module TestSupport
  # For tests of it.
  module Supervising
    # A call into C that keeps Ruby's lock, like a driver's.
    HANG_IN_C = <<~RUBY
      require "fiddle"
      def hang_in_c
        mutex = Fiddle.malloc(64).tap { |place| Fiddle::Pointer.new(place)[0, 64] = "\\0" * 64 }
        lock = Fiddle::Function.new(Fiddle::Handle::DEFAULT["pthread_mutex_lock"],
          [Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT, need_gvl: true)
        loop { lock.call(mutex) }
      end
    RUBY

    def setup = need_fork

    # Runs a script as {Supervised} has it, and sees that nothing of it is left.
    def supervised(script, **options)
      assert_no_leaks do
        program = Supervised.new(script, **options)
        yield program
      ensure
        program&.close
      end
    end

    def assert_stops(program, status = 0)
      program.kill(:TERM)
      assert_equal(status, program.wait, program.errors)
    end

    def gone?(pid)
      ::Process.kill(0, pid)
      File.read("/proc/#{pid}/stat").match?(/\) Z /)
    rescue Errno::ESRCH, Errno::ENOENT
      true
    end
  end
end
