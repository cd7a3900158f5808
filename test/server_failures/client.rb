# frozen_string_literal: true

# A process of clients of one kind: they send requests until standard input ends.
#
#   ruby client.rb KIND PORT CLIENTS SEED

$LOAD_PATH.unshift(File.expand_path("..", __dir__))

module TestSupport
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

require_relative "http1_client"
require_relative "http2_client"
require_relative "report"

kind, port, clients, seed = ARGV
report = ServerFailures::Report.new(kind)
over = false
threads = Array.new(clients.to_i) do |index|
  Thread.new do
    random = Random.new(seed.to_i + index)
    client = case kind
    when "kept" then ServerFailures::HTTP1Client.new(port, report, random, keep: true)
    when "new" then ServerFailures::HTTP1Client.new(port, report, random, keep: false)
    when "new_tls"
      ServerFailures::HTTP1Client.new(port, report, random, keep: false, tls: true)
    when "tls" then ServerFailures::HTTP1Client.new(port, report, random, keep: true, tls: true)
    when "h2c" then ServerFailures::HTTP2Client.new(port, report, random)
    when "h2" then ServerFailures::HTTP2Client.new(port, report, random, tls: true)
    end
    until over
      client.turn
      sleep(random.rand * ((random.rand < 0.05) ? 0.3 : 0.01))
    end
    client.leave
  end
end
threads.each { |thread| thread.abort_on_exception = true }
$stdin.read
over = true
threads.each(&:join)
report.total
