# frozen_string_literal: true

require "etc"

module Bench
  # The machine and the programs of the figures, and limits of the machine.
  module Machine
    FILES = 10_000 # descriptors in one process: the 8,192 connections, and some

    module_function

    def facts(options)
      {ruby: RUBY_DESCRIPTION, flags: options.flags,
       kernel: Etc.uname.values_at(:sysname, :release).join(" "), processor: processor,
       processors: Etc.nprocessors, memory_gib: memory,
       load: File.read("/proc/loadavg").split.first.to_f,
       time: Time.now.utc.strftime("%Y-%m-%d %H:%M UTC")}
    end

    def processor
      File.read("/proc/cpuinfo")[/^model name\s*:\s*(.+)$/, 1] || RbConfig::CONFIG["host_cpu"]
    end

    def memory = (File.read("/proc/meminfo")[/^MemTotal:\s+(\d+)/, 1].to_i / 1024.0**2).round

    # The processes of the runs inherit it.
    # @return [Integer] how many descriptors a process may have now
    def raise_limit
      soft, hard = Process.getrlimit(:NOFILE)
      return soft if soft >= FILES

      Process.setrlimit(:NOFILE, [FILES, hard].min, hard)
      Process.getrlimit(:NOFILE).first
    end

    # @return [String, nil] why this workload cannot run here
    def trouble(plan)
      needed = plan.settings.fetch(:connections, 0) + 200
      files = Process.getrlimit(:NOFILE).first
      if needed > files
        "it needs #{needed} descriptors in a process, #{files} are allowed: raise `ulimit -n`, " \
          "or LimitNOFILE"
      end
    end
  end
end
