# frozen_string_literal: true

module Ledger
  # `raffia work`, started again whenever it has died.
  class Worker
    ROOT = File.expand_path("../..", __dir__)

    # @param env [Hash{String => String}]
    # @param log [String] path
    def initialize(env, log, processes: 2)
      @env = env
      @log = log
      @processes = processes
    end

    # @return [Integer, nil] of the supervisor
    attr_reader :pid

    # @return [void]
    def start
      @pid = ::Process.spawn(@env, RbConfig.ruby, *program, out: [@log, "a"], err: [@log, "a"])
    end

    # @return [Array<Integer>] pids of those who do the work
    def workers
      below(@pid).select { |pid| worker?(command(pid)) }
    end

    # @return [void]
    def kill_all
      all = [@pid, *below(@pid)].compact
      all.each { |pid| Worker.signal(:KILL, pid) }
      ::Process.wait(@pid) if @pid
      nap until all.none? { |pid| alive?(pid) }
      @pid = nil
    end

    # The supervisor alone: its workers must find out.
    # @return [void]
    def kill_supervisor
      orphans = below(@pid)
      Worker.signal(:KILL, @pid)
      ::Process.wait(@pid)
      start
      orphans
    end

    # @return [Integer, nil] exit status
    def stop
      Worker.signal(:TERM, @pid)
      _, status = ::Process.wait2(@pid)
      @pid = nil
      status.exitstatus
    end

    # @return [Boolean]
    def self.signal(name, pid)
      ::Process.kill(name, pid)
      true
    rescue Errno::ESRCH
      false
    end

    private

    def program
      ["-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r", "#{ROOT}/test/ledger/jobs.rb",
        "--processes", @processes.to_s, "-c", "20", "-q", "default,3", "-q", "fair,1",
        "--store", @env.fetch("RAFFIA_STORE")]
    end

    # By its command line.
    def worker?(command) = command.include?("worker ")

    # A zombie of another process counts as dead.
    def alive?(pid)
      File.read("/proc/#{pid}/stat")[/\) (\w)/, 1] != "Z"
    rescue SystemCallError
      false
    end

    def nap = sleep(0.005)

    def below(pid)
      return [] unless pid

      File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)
        .flat_map { |child| [child, *below(child)] }
    rescue SystemCallError
      []
    end

    def command(pid)
      File.read("/proc/#{pid}/cmdline")
    rescue SystemCallError
      ""
    end
  end
end
