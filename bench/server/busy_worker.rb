# frozen_string_literal: true

# puma#3892 and puma#3961: one of two workers computes for 500 ms of CPU. Requests come to it
# meanwhile, on connections that it has kept, and on new ones. Raffia with and without `rebalance`
# beside Puma, in turn, in processes of their own.
#
#     RAFFIA_BENCH_GEMS=FOLDER ruby bench/server/busy_worker.rb
#
# ROUNDS=20 are the computations for each server. The gem puma is in the folder, see
# ../harness/gems.rb.

require_relative "comparison"

module ServerBench
  # Measures the latency of requests to a busy worker.
  class BusyWorker < Comparison
    APP = <<~RUBY
      run lambda { |env|
        if env["PATH_INFO"] == "/compute"
          clock = Process::CLOCK_THREAD_CPUTIME_ID
          finish = Process.clock_gettime(clock) + 0.5
          nil while Process.clock_gettime(clock) < finish
        end
        [200, {"content-type" => "text/plain"}, [Process.pid.to_s]]
      }
    RUBY
    # As in the issue.
    CONNECTIONS = 4
    PATIENCE = 30 # seconds for a server to start in

    def initialize(env)
      super
      @rounds = Integer(env.fetch("ROUNDS", "20"))
    end

    private

    def compare = commands.each { |name, command| measure(name, command) }

    def commands
      {"raffia" => raffia("--processes", "2"),
       "raffia, no rebalance" => raffia("--processes", "2", "--no-rebalance"),
       "puma" => puma("-w", "2", "-t", "1:1")}
    end

    def measure(name, command)
      running(command) do |port, pid|
        await(port)
        used = cpu(pid)
        kept = Array.new(@rounds) { while_busy(port) { |mine| mine } }.flatten
        fresh = Array.new(@rounds) { while_busy(port) { Array.new(CONNECTIONS) } }.flatten
        report(name, "kept", kept)
        report(name, "new", fresh)
        puts format("%-22s %.2f s of CPU besides the computations", name,
          cpu(pid) - used - 2 * @rounds * 0.5)
      end
    end

    # Occupies a worker. Yields the connections that it has served, the only ones, and asks on those
    # that the block returns, nil for a new one, all at once. Seconds of each.
    def while_busy(port)
      all = Array.new(64) { TCPSocket.new("127.0.0.1", port) }
      groups = all.group_by { |one| ask(one) }
      pid, mine = groups.max_by { |_, group| group.size }
      busy, *mine = mine.first(CONNECTIONS + 1)
      (all - mine - [busy]).each(&:close)
      sleep 1 # what has moved by chance may move again
      busy.write("GET /compute HTTP/1.1\r\nhost: a\r\n\r\n")
      sleep 0.1
      yield(mine).map { |one| Thread.new { timed(one || TCPSocket.new("127.0.0.1", port)) } }
        .map(&:value).tap { answer(busy) == pid or warn "another worker has computed" }
    ensure
      all&.each(&:close)
    end

    def timed(socket)
      start = now
      ask(socket)
      now - start
    end

    def ask(socket)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      answer(socket)
    end

    def answer(socket)
      head = socket.gets("\r\n\r\n") or raise "closed"
      socket.read(head[/content-length: (\d+)/i, 1].to_i)
    end

    # Both workers serve.
    def await(port)
      give_up = now + PATIENCE
      pids = []
      until pids.uniq.size == 2
        TCPSocket.open("127.0.0.1", port) { |socket| pids << ask(socket) }
      end
    rescue SystemCallError, RuntimeError
      raise if now > give_up

      sleep(0.05)
      retry
    end

    def report(name, kind, times)
      p50, p99 = p50_and_p99(times)
      puts format("%-22s %4s connections: p50 %6.1f ms, p99 %6.1f ms", name, kind, p50, p99)
    end
  end
end

ServerBench::BusyWorker.new(ENV).call if $PROGRAM_NAME == __FILE__
