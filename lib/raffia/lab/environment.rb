# frozen_string_literal: true

require "etc"
require "rbconfig"
require_relative "../base/config"
require_relative "../executor/cpus"

module Raffia
  module Lab
    # Describes the machine, the Ruby and the commit of the figures.
    module Environment
      ROOT = File.expand_path("../../..", __dir__).freeze

      module_function

      # backend: forced by the configuration, or nil. rubies: {Interpreter}s of the runs, or nil.
      # counters: why there are no {Counters}, or nil.
      def describe(backend: nil, rubies: nil, counters: nil)
        {raffia: VERSION, commit:, ruby: RUBY_DESCRIPTION, yjit: yjit?, kernel:, cpu:, cores:,
         governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), memory:,
         rubies: rubies&.map(&:to_h),
         counters: counters ? "none: #{counters}" : "cycles and instructions in user mode, by perf",
         ractors:, backend: (backend || Raffia::Engine.best).to_s,
         nofile: ::Process.getrlimit(:NOFILE), load: load_average}
      end

      # Cores that this process may use.
      def cores = Executor::Cpus.count

      # Experiments run with YJIT where this Ruby has it and the configuration allows it.
      def yjit?
        (defined?(RubyVM::YJIT.enabled?) && (RubyVM::YJIT.enabled? || Raffia.config.yjit)) || false
      end

      # Variants that this Ruby lacks, with the reason.
      def missing
        return {} if RUBY_ENGINE == "ruby"
        %i[fibers processes ractors plain_processes plain_ractors].to_h do |name|
          [name, "#{RUBY_ENGINE} does not have them"]
        end
      end

      # A reason for slow Ractors, or nil. Ruby 3.3 and 3.4 built with a JIT count each instruction
      # in one variable of the process, whether the JIT is on or not (vm_insnhelper.h,
      # JIT_COLLECT_USAGE_INSN). Ractors take its cache line from each other all the time.
      def ractors
        return unless RUBY_ENGINE == "ruby" && RUBY_VERSION.start_with?("3.") && !yjit?
        return unless RbConfig::CONFIG.values_at("YJIT_SUPPORT", "RJIT_SUPPORT").include?("yes")
        "slowed down by the instruction counter of this Ruby's JIT, which all of them share " \
          "while YJIT is off (try --yjit)"
      end

      # With a mark when files have changed; nil for an installed gem.
      def commit
        return unless File.exist?(File.join(ROOT, ".git"))
        id = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--", "lib", "ext").to_s
        id && "#{id}#{" with changes" unless changed.empty?}"
      end

      def git(*arguments)
        IO.popen(["git", "-C", ROOT, *arguments, err: File::NULL], &:read).strip
      rescue Errno::ENOENT
        nil # git is not installed
      end

      def kernel = Etc.uname.values_at(:sysname, :release, :machine).join(" ")

      def cpu
        read("/proc/cpuinfo").to_s[/^model name\s*:\s*(.+)$/, 1] || RbConfig::CONFIG["host_cpu"]
      end

      def memory
        read("/proc/meminfo").to_s[/^MemTotal:\s+(\d+) kB/, 1]
          &.then { |kilobytes| kilobytes.to_i * 1024 }
      end

      def load_average = read("/proc/loadavg").to_s.split.first&.to_f

      def read(path)
        File.read(path).strip
      rescue SystemCallError
        nil
      end

      private_class_method :git, :ractors, :kernel, :cpu, :memory, :load_average, :read
    end
  end
end
