# frozen_string_literal: true

require "json"
require "socket"
require "tempfile"

module TestSupport
  # A supervisor in a process of its own, as it runs in life. The script calls `supervise(workers: 2, ...) { |seat| ... }`, and says what
  # the test wants to know by `say(name, data)`, from any of its processes.
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
                 on_worker_exit: ->(slot, how) { say("exit", [slot[:index], how.pid, how.signal, how.status]) }}
        $supervisor = Raffia::Process::Supervisor.new(log: log, **settings, hooks: hooks.merge(settings.fetch(:hooks, {})), &work)
        exit $supervisor.run
      end
    RUBY

    attr_reader :pid, :status

    def initialize(script, **spawn)
      @facts, theirs = IO.pipe
      @errors = Tempfile.create("supervised")
      @got = []
      @pid = ::Process.spawn(RbConfig.ruby, "-W:no-experimental", "-I", File.expand_path("../../lib", __dir__), "-e", PRELUDE + script,
        3 => theirs, :err => @errors.path, :in => File::NULL, :pgroup => true, **spawn)
      theirs.close
    end

    # @return [Object] the data of the next fact of this name; facts of other names are kept
    def hear(name, timeout = 20)
      limit = TestSupport.now + timeout
      loop do
        found = @got.index { |fact, _| fact == name }
        return @got.delete_at(found).last if found
        rest = limit - TestSupport.now
        raise "no #{name.inspect} came; it said #{@got.inspect}, and:\n#{errors}" unless rest > 0 && @facts.wait_readable(rest)
        line = @facts.gets or raise "it ended before #{name.inspect} came; it said #{@got.inspect}, and:\n#{errors}"
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
