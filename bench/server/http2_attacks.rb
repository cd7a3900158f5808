# frozen_string_literal: true

# How long the requests of a neighbour take while a client attacks by HTTP/2: p50 and p99 in ms,
# without an attack and under each, again and again on new connections. One worker process serves
# both.
#
#     ruby -Ilib bench/server/http2_attacks.rb [SECONDS]

$LOAD_PATH.unshift(File.expand_path("../../test", __dir__))
require "rbconfig"
require "support/http2/attacks"

root = File.expand_path("../..", __dir__)
seconds = Float(ARGV.fetch(0, 3))
port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }

server = Process.spawn(RbConfig.ruby, "-W0", "-I#{root}/lib", "-e", <<~RUBY)
  require "raffia/server"
  app = ->(_) { [200, {"content-length" => "5"}, ["hello"]] }
  Raffia::Server.new(app, bind: "tcp://127.0.0.1:#{port}", processes: 1, log: "/dev/null").run
RUBY
at_exit { Process.kill(:TERM, server) && Process.wait(server) }
begin
  TCPSocket.new("127.0.0.1", port).close
rescue Errno::ECONNREFUSED
  sleep(0.05)
  retry
end

attack_again = lambda do |attack|
  loop do
    TestSupport::HTTP2::Connection.open(port, settings: attack.settings) do |client|
      attack.run(client)
    end
  rescue TestSupport::HTTP2::Error, SystemCallError
    next
  end
end

measure = lambda do |attack|
  attacker = attack && fork do
    Signal.trap(:TERM) { exit! }
    attack_again.call(attack)
  end
  times = []
  TestSupport::HTTP2::Connection.open(port) do |client|
    give_up = now.call + seconds
    1.step(by: 2) do |id|
      begun = now.call
      break if begun > give_up
      raise "the neighbour was not served" unless client.get(id).status == 200
      times << now.call - begun
      sleep(0.002)
    end
  end
  times.sort!
  [0.5, 0.99].map { |share| (times[(times.size * share).floor] * 1000).round(2) }
ensure
  Process.kill(:TERM, attacker) && Process.wait(attacker) if attacker
end

puts "| attack | p50 | p99 |", "|---|--:|--:|"
[nil, *TestSupport::HTTP2::Attacks::ALL].each do |attack|
  p50, p99 = measure.call(attack)
  puts "| #{attack ? attack.name : "none"} | #{p50} | #{p99} |"
end
