# frozen_string_literal: true

require "rbconfig"
require "socket"
require "tmpdir"

module ServerBench
  # Parent of measurements of Raffia beside Puma, in turn, in processes of their own that serve the
  # application `APP`. RAFFIA_BENCH_GEMS is a folder with the gem puma, see ../harness/gems.rb.
  class Comparison
    ROOT = File.expand_path("../..", __dir__)
    BIND = "tcp://127.0.0.1:PORT"
    private_constant :ROOT, :BIND

    def initialize(env)
      @gems = env["RAFFIA_BENCH_GEMS"]
    end

    def call
      Dir.mktmpdir do |folder|
        @app = File.join(folder, "config.ru")
        File.write(@app, self.class::APP)
        compare
      end
    end

    private

    def raffia(*flags)
      [RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "serve", "--no-config", @app, "-e",
        "production", "-b", BIND, *flags]
    end

    def puma(*flags)
      [RbConfig.ruby, "-S", "puma", "-q", "-e", "production", "-b", BIND, *flags, @app]
    end

    # Yields the port and the pid.
    def running(command)
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      pid = spawn(env(command), *command.map { |word| word.sub("PORT", port.to_s) },
        out: File::NULL, err: File::NULL)
      yield port, pid
    ensure
      if pid
        Process.kill(:TERM, pid)
        Process.wait(pid)
      end
    end

    def env(command)
      return {} unless command.include?("puma") && @gems

      {"GEM_HOME" => @gems, "GEM_PATH" => [@gems, Gem.default_dir].join(":"), "RUBYOPT" => nil,
       "BUNDLE_GEMFILE" => nil, "PATH" => "#{@gems}/bin:#{ENV["PATH"]}", "RUBYLIB" => nil}
    end

    # Seconds of CPU of a process and its children.
    def cpu(pid)
      pids = [pid, *File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)]
      pids.sum { |one| File.read("/proc/#{one}/stat").split(") ").last.split[11, 2].sum(&:to_i) } /
        100.0
    end

    # Milliseconds.
    def p50_and_p99(times)
      times = times.sort
      [0.5, 0.99].map { |share| times[(times.size * share).ceil - 1] * 1000 }
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
