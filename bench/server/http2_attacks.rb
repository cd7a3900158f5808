# frozen_string_literal: true

# How long the requests of a neighbour take while a client attacks by HTTP/2: p50 and p99 in ms,
# without an attack and under each, again and again on new connections. One worker process serves
# both. nginx stands beside Raffia where it is installed; the two take turns.
#
#     ruby -Ilib bench/server/http2_attacks.rb [SECONDS]

$LOAD_PATH.unshift(File.expand_path("../../test", __dir__))
require "rbconfig"
require "tmpdir"
require "support/http2/attacks"

root = File.expand_path("../..", __dir__)
seconds = Float(ARGV.fetch(0, 3))
now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
folder = Dir.mktmpdir("raffia-bench-")
servers = []
at_exit do
  servers.each { |pid| Process.kill(:TERM, pid) && Process.wait(pid) }
  FileUtils.remove_entry(folder)
end

await = lambda do |port|
  TCPSocket.new("127.0.0.1", port).close
rescue Errno::ECONNREFUSED
  sleep(0.05)
  retry
end

serve = lambda do |&command|
  port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
  servers << Process.spawn(*command.call(port), out: File::NULL, err: File::NULL)
  port.tap(&await)
end

ports = {
  "Raffia" => serve.call do |port|
    [RbConfig.ruby, "-W0", "-I#{root}/lib", "-e", <<~RUBY]
      require "raffia/server"
      app = ->(_) { [200, {"content-length" => "5"}, ["hello"]] }
      Raffia::Server.new(app, bind: "tcp://127.0.0.1:#{port}", processes: 1, log: "/dev/null").run
    RUBY
  end
}
if system("nginx", "-v", err: File::NULL)
  ports["nginx"] = serve.call do |port|
    File.write("#{folder}/nginx.conf", <<~CONF)
      daemon off; worker_processes 1; pid nginx.pid;
      events { worker_connections 4096; }
      http {
        access_log off;
        server { listen 127.0.0.1:#{port} http2; location / { return 200 "hello"; } }
      }
    CONF
    ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "log"]
  end
end

attack_again = lambda do |attack, port|
  loop do
    TestSupport::HTTP2::Connection.open(port, settings: attack.settings) do |client|
      attack.run(client)
    end
  rescue TestSupport::HTTP2::Error, SystemCallError
    next
  end
end

# At most 500 requests for each connection: nginx ends them after 1,000.
ask = lambda do |port, times, finish|
  TestSupport::HTTP2::Connection.open(port) do |client|
    500.times do |n|
      begun = now.call
      break if begun > finish
      raise "the neighbour was not served" unless client.get(n * 2 + 1).status == 200
      times << now.call - begun
      sleep(0.002)
    end
  end
end

measure = lambda do |attack, port|
  attacker = attack && fork do
    Signal.trap(:TERM) { exit! }
    attack_again.call(attack, port)
  end
  times = []
  finish = now.call + seconds
  ask.call(port, times, finish) while now.call < finish
  times.sort!
  [0.5, 0.99].map { |share| (times[(times.size * share).floor] * 1000).round(2) }
ensure
  Process.kill(:TERM, attacker) && Process.wait(attacker) if attacker
end

puts "| attack | #{ports.keys.map { |name| "#{name}: p50 | p99" }.join(" | ")} |",
  "|---|#{"--:|--:|" * ports.size}"
[nil, *TestSupport::HTTP2::Attacks::ALL].each do |attack|
  figures = ports.values.flat_map { |port| measure.call(attack, port) }
  puts "| #{attack ? attack.name : "none"} | #{figures.join(" | ")} |"
end
