# frozen_string_literal: true

# A map whose block runs in other processes, on any machine: items are jobs in a Redis, workers take
# them, and the results come back in order. A worker that dies has its items done by another.
#
#     bin/raffia run examples/map_over_redis.rb
#
# It prints what was counted, and that nothing of it was counted here. It starts a redis-server and
# two workers of its own. In real life the workers are there already, on machines that have the same
# code:
#
#     raffia work -r examples/map_over_redis.rb --store redis://HOST:6379/0

require "raffia"
require "raffia/jobs"
require "rbconfig"
require "socket"
require "tmpdir"

# The work of the workers. They load this file, too, but do not run the code below.
class PrimesJob
  include Raffia::Job

  # @return [Array(Integer, Integer)] how many primes there are in a thousand numbers, and who has
  #   counted
  def perform(thousand)
    primes = (thousand * 1_000...(thousand + 1) * 1_000).count do |n|
      n > 1 && (2..Integer.sqrt(n)).none? { |divisor| (n % divisor).zero? }
    end
    [primes, Process.pid]
  end
end

# Runs a program for as long as the block does.
def with_program(*command, **options)
  pid = spawn(*command, in: File::NULL, out: File::NULL, **options)
  yield
ensure
  Process.kill(:TERM, pid) && Process.wait(pid) if pid
end

def with_redis
  port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
  Dir.mktmpdir do |folder|
    with_program("redis-server", "--port", port.to_s, "--bind", "127.0.0.1", "--save", "", "--dir",
      folder) do
      Raffia.retry(times: 100, backoff: 0.05, max: 0.5, on: Errno::ECONNREFUSED) do
        TCPSocket.open("127.0.0.1", port).close
      end
      yield "redis://127.0.0.1:#{port}/0"
    end
  end
rescue Errno::ENOENT
  abort "redis-server is not installed here: apt-get install redis-server"
end

if $PROGRAM_NAME == __FILE__
  with_redis do |url|
    raffia = [RbConfig.ruby, "-I", File.expand_path("../lib", __dir__),
      File.expand_path("../exe/raffia", __dir__)]
    with_program(*raffia, "work", "-r", __FILE__, "--store", url, "--processes", "2",
      err: File::NULL) do
      Raffia::Jobs.store = url
      counts = Raffia.map(0...30, on: :jobs, chunk: 1, timeout: 300, &PrimesJob)
      puts "#{counts.sum(&:first)} primes below 30000, the first thousands: " \
        "#{counts.first(3).map(&:first).join(", ")}"
      puts "counted here: #{counts.map(&:last).include?(Process.pid)}"
    end
  end
end
