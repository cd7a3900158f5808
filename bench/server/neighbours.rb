# frozen_string_literal: true

# A request of 1 ms of CPU beside renders of 200 ms, on the threads of one process: Raffia beside
# Puma, in turn, in processes of their own. Shows whether short requests wait behind long ones.
#
#     RAFFIA_BENCH_GEMS=FOLDER ruby bench/server/neighbours.rb
#
# RENDERS=3,10 are the clients that have pages rendered without a pause, THREADS=5, SECONDS=20,
# ROUNDS=2. The gem puma is in the folder, see ../harness/gems.rb.

require_relative "comparison"

module ServerBench
  # Measures the latency of short requests beside long ones.
  class Neighbours < Comparison
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
    # Short requests in a second.
    RATE = 10

    def initialize(env)
      super
      @renders = env.fetch("RENDERS", "3,10").split(",").map(&:to_i)
      @threads = env.fetch("THREADS", "5")
      @seconds = Float(env.fetch("SECONDS", "20"))
      @rounds = Integer(env.fetch("ROUNDS", "2"))
    end

    private

    def compare
      @renders.each do |renders|
        found = Hash.new { |all, name| all[name] = [] }
        @rounds.times { commands.each_key { |name| found[name] << measure(name, renders) } }
        found.each { |name, rounds| report(name, renders, rounds) }
      end
    end

    def commands
      {"raffia" => raffia("--processes", "1", "--execution", "threads", "--threads", @threads),
       "puma" => puma("-t", "#{@threads}:#{@threads}")}
    end

    def measure(name, renders)
      running(commands[name]) do |port, pid|
        await(port)
        3.times { get(port, "/render") }
        used = cpu(pid)
        done = Thread::Queue.new
        loads = Array.new(renders) { Thread.new { loop { done << get(port, "/render") } } }
        sleep 1
        times = probe(port)
        loads.each(&:kill).each(&:join)
        {times: times, renders: done.size, cpu: cpu(pid) - used}
      end
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

    def report(name, renders, rounds)
      p50, p99 = p50_and_p99(rounds.flat_map { |one| one[:times] })
      done = rounds.sum { |one| one[:renders] }
      seconds = rounds.sum { |one| one[:cpu] }
      puts format("%-8s %2d renders at a time: p50 %5.0f ms, p99 %5.0f ms, %4d renders, %.1f s CPU",
        name, renders, p50, p99, done, seconds)
    end
  end
end

ServerBench::Neighbours.new(ENV).call if $PROGRAM_NAME == __FILE__
