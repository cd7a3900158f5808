# frozen_string_literal: true

# A request of 1 ms of CPU beside renders of 200 ms, on the threads of one process: Raffia beside
# Puma, in turn, in processes of their own. Shows whether short requests wait behind long ones.
#
#     RAFFIA_BENCH_GEMS=FOLDER ruby bench/server/neighbours.rb
#
# RENDERS=3,10 are the clients that have pages rendered without a pause, THREADS=5, SECONDS=20,
# ROUNDS=2. The gem puma is in the folder, see ../harness/gems.rb.

require "rbconfig"
require "socket"
require "tmpdir"

module ServerBench
  # Measures the latency of short requests beside long ones.
  class Neighbours
    APP = <<~RUBY
      burn = lambda do |seconds|
        clock = Process::CLOCK_THREAD_CPUTIME_ID
        finish = Process.clock_gettime(clock) + seconds
        nil while Process.clock_gettime(clock) < finish
      end
      run lambda { |env|
        burn.call((env["PATH_INFO"] == "/render") ? 0.2 : 0.001)
        [200, {"content-type" => "text/plain"}, ["ok"]]
      }
    RUBY
    ROOT = File.expand_path("../..", __dir__)
    # Short requests in a second.
    RATE = 10

    def initialize(env)
      @renders = env.fetch("RENDERS", "3,10").split(",").map(&:to_i)
      @threads = env.fetch("THREADS", "5")
      @seconds = Float(env.fetch("SECONDS", "20"))
      @rounds = Integer(env.fetch("ROUNDS", "2"))
      @gems = env["RAFFIA_BENCH_GEMS"]
    end

    def call
      Dir.mktmpdir do |folder|
        @app = File.join(folder, "config.ru")
        File.write(@app, APP)
        @renders.each do |renders|
          found = Hash.new { |all, name| all[name] = [] }
          @rounds.times { commands.each_key { |name| found[name] << measure(name, renders) } }
          found.each { |name, rounds| report(name, renders, rounds) }
        end
      end
    end

    private

    def commands
      {"raffia" => [RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "serve", "--no-config",
        @app, "-b", "tcp://127.0.0.1:PORT", "--processes", "1", "--execution", "threads",
        "--threads", @threads],
       "puma" => [RbConfig.ruby, "-S", "puma", "-q", "-e", "production", "-b",
         "tcp://127.0.0.1:PORT", "-t", "#{@threads}:#{@threads}", @app]}
    end

    def measure(name, renders)
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      pid = spawn(env(name), *commands[name].map { |word| word.sub("PORT", port.to_s) },
        out: File::NULL, err: File::NULL)
      await(port)
      3.times { get(port, "/render") }
      used = cpu(pid)
      done = Thread::Queue.new
      loads = Array.new(renders) { Thread.new { loop { done << get(port, "/render") } } }
      sleep 1
      times = probe(port)
      loads.each(&:kill).each(&:join)
      {times: times, renders: done.size, cpu: cpu(pid) - used}
    ensure
      Process.kill(:TERM, pid)
      Process.wait(pid)
    end

    def env(name)
      return {} unless name == "puma" && @gems

      {"GEM_HOME" => @gems, "GEM_PATH" => [@gems, Gem.default_dir].join(":"), "RUBYOPT" => nil,
       "BUNDLE_GEMFILE" => nil, "PATH" => "#{@gems}/bin:#{ENV["PATH"]}", "RUBYLIB" => nil}
    end

    # In an open loop: a request that waits does not keep the next one from coming.
    def probe(port)
      times = Thread::Queue.new
      start = now
      asked = Array.new((@seconds * RATE).to_i) do |number|
        sleep([start + number / RATE.to_f - now, 0].max)
        due = start + number / RATE.to_f
        Thread.new { get(port, "/") && times << (now - due) }
      end
      asked.each(&:join)
      Array.new(times.size) { times.pop }.sort
    end

    def get(port, path)
      TCPSocket.open("127.0.0.1", port) do |socket|
        socket.write("GET #{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        socket.read.start_with?("HTTP/1.1 200") or raise "no answer to #{path}"
      end
    end

    def await(port)
      get(port, "/")
    rescue SystemCallError
      sleep(0.05)
      retry
    end

    # Seconds of CPU of a process and its children.
    def cpu(pid)
      pids = [pid, *File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)]
      pids.sum { |one| File.read("/proc/#{one}/stat").split(") ").last.split[11, 2].sum(&:to_i) } /
        100.0
    end

    def report(name, renders, rounds)
      times = rounds.flat_map { |one| one[:times] }.sort
      p50, p99 = [0.5, 0.99].map { |share| (times[(times.size * share).ceil - 1] * 1000).round }
      done = rounds.sum { |one| one[:renders] }
      seconds = rounds.sum { |one| one[:cpu] }
      puts format("%-8s %2d renders at a time: p50 %5d ms, p99 %5d ms, %4d renders, %.1f s of CPU",
        name, renders, p50, p99, done, seconds)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

ServerBench::Neighbours.new(ENV).call if $PROGRAM_NAME == __FILE__
