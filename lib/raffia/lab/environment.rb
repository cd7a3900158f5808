# frozen_string_literal: true

require "etc"
require "rbconfig"
require_relative "../base/config"
require_relative "../executor/cpus"

module Raffia
  module Lab
    # Where the figures come from: without it a figure means nothing.
    module Environment
      ROOT = File.expand_path("../../..", __dir__).freeze

      module_function

      # @param backend [Symbol, nil] what is forced by the configuration
      # @param rubies [Array<Interpreter>, nil] that the runs are done with
      # @param counters [String, nil] why there are no {Counters}
      # @return [Hash{Symbol => Object}]
      def describe(backend: nil, rubies: nil, counters: nil)
        {raffia: VERSION, commit: commit, ruby: RUBY_DESCRIPTION, yjit: yjit?, kernel: kernel,
         cpu: cpu, cores: cores,
         governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), memory: memory,
         rubies: rubies&.map(&:to_h),
         counters: counters ? "none: #{counters}" : "cycles and instructions in user mode, by perf",
         ractors: ractors, backend: (backend || best_backend).to_s,
         nofile: ::Process.getrlimit(:NOFILE), load: load_average}
      end

      # @return [Integer] cores that this process may use
      def cores = Executor::Cpus.count

      # @return [Boolean] whether the experiments run with YJIT: where this Ruby has it and nobody
      #   turned it off
      def yjit?
        (defined?(RubyVM::YJIT.enabled?) && (RubyVM::YJIT.enabled? || Raffia.config.yjit)) || false
      end

      # @return [Hash{Symbol => String}] the variants that this Ruby has no means for, and why
      def missing
        return {} if RUBY_ENGINE == "ruby"
        %i[fibers processes ractors plain_processes plain_ractors].to_h do |name|
          [name, "#{RUBY_ENGINE} does not have them"]
        end
      end

      # Ruby 3.3 and 3.4 built with a JIT count each interpreted instruction in one variable of the
      # process, whether the JIT is on or not (vm_insnhelper.h, JIT_COLLECT_USAGE_INSN), and Ractors
      # take its cache line from each other all the time.
      #
      # @return [String, nil] what explains figures of Ractors that look too bad to be true
      def ractors
        return unless RUBY_ENGINE == "ruby" && RUBY_VERSION.start_with?("3.") && !yjit?
        return unless RbConfig::CONFIG.values_at("YJIT_SUPPORT", "RJIT_SUPPORT").include?("yes")
        "slowed down by the instruction counter of this Ruby's JIT, which all of them share " \
          "while YJIT is off (try --yjit)"
      end

      # @return [String, nil] with a mark when files differ from it; nil for an installed gem
      def commit
        return unless File.exist?(File.join(ROOT, ".git"))
        id = git("rev-parse", "--short=12", "HEAD")
        id &&
          "#{id}#{" with changes" unless git("status", "--porcelain", "--", "lib", "ext").to_s.empty?}"
      end

      def git(*arguments)
        IO.popen(["git", "-C", ROOT, *arguments, err: File::NULL], &:read).strip
      rescue Errno::ENOENT
        nil # git is not installed
      end

      def best_backend = Raffia::Engine.best

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

      private_class_method :git, :ractors, :best_backend, :kernel, :cpu, :memory, :load_average,
        :read
    end
  end
end
