# frozen_string_literal: true

require_relative "usage"

module JobsBench
  # The process that does the jobs, with all that it starts.
  class WorkerProcess
    GRACE = 0.5 # seconds to end in

    # @param system [Systems::System]
    # @param folder [String] for its log
    # @param env [Hash{String => String}]
    def initialize(system, folder, env)
      @log = "#{folder}/worker.log"
      yjit = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?
      @pid = Process.spawn({"RUBYOPT" => ("--yjit" if yjit), **env, **system.env}, *system.command,
        chdir: folder, in: File::NULL, out: @log, err: %i[child out])
      @usage = Usage.new(@pid)
    end

    # @return [Usage]
    attr_reader :usage

    # @return [Boolean]
    def ended? = @ended ||= !Process.wait(@pid, Process::WNOHANG).nil?

    # @return [String] what it said in the end
    def last_words
      File.readlines(@log, chomp: true).grep_v(/\A\s*[\^{]|\A\s*\z|\AI, \[|\AINFO|\A\s+from /)
        .last(2).join(" | ").scrub[0, 300]
    end

    # Its children too, and soon: how well it ends is not what is measured.
    def stop
      everybody = @usage.pids
      kill(:TERM, @pid)
      give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + GRACE
      sleep(0.01) until ended? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up
      everybody.each { |pid| kill(:KILL, pid) }
      Process.wait(@pid) unless ended?
    end

    private

    def kill(signal, pid)
      Process.kill(signal, pid)
    rescue Errno::ESRCH
      nil
    end
  end
end
