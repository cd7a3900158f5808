# frozen_string_literal: true

module Conformance
  # A process that runs a suite's tests, watched from outside: even one whose every thread stands
  # still is ended in time.
  class ChildProcess
    MAIN = File.expand_path("child/main.rb", __dir__)
    # Seconds for the steps of a suite before its first test, and after its last.
    START = 90
    FINISH = 15
    # Seconds for writing backtraces.
    DUMP = 2

    # @param limit [Numeric] seconds for one test
    def initialize(record, limit, plan:, folder:, env:, log:)
      @record = record
      @limit = limit
      @command = [RbConfig.ruby, "-W0", MAIN, plan]
      @options = {chdir: folder, out: [log, "a"], err: [:child, :out], in: File::NULL, pgroup: true}
      @env = env
    end

    # @param deadline [Float] of the whole suite, on the monotonic clock
    # @return [Symbol] :done, :hung (in a test), :over (the deadline), :stopped (ended by
    #   itself, or at its start)
    def call(deadline)
      @group = @pid = ::Process.spawn(@env, *@command, **@options)
      @size = @record.size
      @since = now
      verdict = watch(deadline) until verdict
      verdict
    ensure
      kill(:KILL) if @group
      reap if @pid
    end

    private

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

    def watch(deadline)
      return (@record.done? ? :done : :stopped) if ended?

      sleep(0.1)
      progress
      stuck || (:over if now > deadline && dump)
    end

    def ended?
      return false unless ::Process.wait(@pid, ::Process::WNOHANG)

      @pid = nil
      true
    end

    def progress
      size = @record.size
      @since = now unless size == @size
      @size = size
    end

    def stuck
      still = now - @since
      return if still < [@limit, FINISH].min
      return (:done if still > FINISH) if @record.done?
      return (:hung if still > @limit && still_after_dump?) if @record.running

      :stopped if still > START && still_after_dump?
    end

    # The child answers USR2 with the backtraces of all threads and fibers, in the log.
    def dump
      kill(:USR2, @pid)
      sleep(DUMP)
    end

    # A process that proceeds meanwhile was slow, and does not hang.
    def still_after_dump?
      dump
      @record.size == @size
    end

    # Its whole group: what tests started, too.
    def kill(signal, pid = -@group)
      ::Process.kill(signal, pid)
    rescue Errno::ESRCH
      nil
    end

    def reap = ::Process.wait(@pid)
  end
end
