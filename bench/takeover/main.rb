# frozen_string_literal: true

# Upgrades under load: a server is told by USR2 to start its successor, again and again, while
# clients send requests at fixed times. The same load runs in turns with it without upgrades, and
# beside a process that computes as long as a boot does: no upgrade can do better than that.
#
#   UPGRADES=100   how many
#   BLOCK=10       upgrades until the load runs without them for as long
#   BOOT=0.5       seconds of CPU that the other process takes for each upgrade
#   RATE=100       new connections a second; beside them are four clients that keep theirs
#   OTHER_RUBY=/path/to/ruby   every second upgrade is `raffia serve --takeover` by this Ruby

require "rbconfig"
require "tmpdir"

ROOT = File.expand_path("../..", __dir__)
$LOAD_PATH.unshift(File.join(ROOT, "test"), File.join(ROOT, "lib"))

module TestSupport
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
require "support/open_loop"

# One server after the other in a folder.
class Upgrades
  PATIENCE = 60
  BOOT = Float(ENV.fetch("BOOT", 0.5))
  APP = 'run ->(_env) { [200, {"content-length" => "5"}, ["hello"]] }'

  def initialize(dir, rate, other)
    @dir = dir
    @rate = rate
    @other = other
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    File.write("#{dir}/config.ru", APP)
    File.write("#{dir}/log", "")
    @count = 0
  end

  def run(upgrades, block)
    @group = spawn(*command(RbConfig.ruby), pgroup: true, chdir: @dir, out: log, err: log)
    await { File.read("#{@dir}/log").include?("are ready") }
    results = {"with upgrades" => [], "beside a process that computes" => [], "alone" => []}
    while @count < upgrades
      start, count = TestSupport.now, [block, upgrades - @count].min
      results["with upgrades"] << load { count.times { upgrade } }
      took = TestSupport.now - start
      results["beside a process that computes"] << load { compute(count, took) }
      results["alone"] << load { sleep(took) }
    end
    results
  ensure
    Process.kill(:KILL, -@group)
  end

  private

  def command(ruby, *more)
    [ruby, "-W:no-experimental", "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "serve", "-b",
      "tcp://127.0.0.1:#{@port}", "-e", "production", "--processes", "2", "--takeover-trial",
      "0.2", "--pidfile", "#{@dir}/pid", "--control", "unix://#{@dir}/ctl", *more]
  end

  def log = ["#{@dir}/log", "a"]

  def upgrade
    old = File.read("#{@dir}/pid").to_i
    @count += 1
    if @other && @count.odd?
      spawn(*command(@other, "--takeover"), pgroup: @group, chdir: @dir, out: log, err: log)
    else
      Process.kill(:USR2, old)
    end
    await { File.read("#{@dir}/pid").to_i != old && gone?(old) }
  end

  # It computes once for each upgrade.
  def compute(count, seconds)
    code = "nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < #{BOOT}"
    finish = TestSupport.now + seconds
    count.downto(1) do |left|
      due = TestSupport.now + (finish - TestSupport.now) / left
      Process.wait(spawn(RbConfig.ruby, "--disable=gems", "-e", code))
      sleep([due - TestSupport.now, 0].max)
    end
  end

  def gone?(pid)
    Process.kill(0, pid)
    File.read("/proc/#{pid}/stat").include?(") Z ")
  rescue SystemCallError
    true
  end

  def await
    limit = TestSupport.now + PATIENCE
    until yield
      abort "no answer within #{PATIENCE} s:\n#{File.read("#{@dir}/log")}" if
        TestSupport.now > limit
      sleep(0.01)
    end
  end

  def load
    load = TestSupport::OpenLoop.new(@port, @rate, 4)
    yield
    load.stop
    [load.errors, Array.new(load.times.size) { load.times.pop }]
  end
end

upgrades, block, rate = {"UPGRADES" => 100, "BLOCK" => 10, "RATE" => 100}
  .map { |name, default| Integer(ENV.fetch(name, default)) }
results = Dir.mktmpdir("raffia-takeover-") do |dir|
  Upgrades.new(dir, rate, ENV["OTHER_RUBY"]).run(upgrades, block)
end
failed = results.transform_values { |runs| runs.flat_map(&:first) }
results.each do |name, runs|
  times = runs.flat_map(&:last).sort
  shares = {"p50" => 0.5, "p99" => 0.99, "p99.9" => 0.999, "most" => 1}.map do |label, share|
    "#{label} #{(times[((times.size - 1) * share).round] * 1000).round(1)} ms"
  end
  puts "#{name}: #{times.size} requests, #{failed[name].size} failed, " \
    "#{shares.join(", ")}"
end
failed.each_value { |errors| puts errors.tally if errors.any? }
puts "#{upgrades} upgrades#{", every second one by #{ENV["OTHER_RUBY"]}" if ENV["OTHER_RUBY"]}"
exit failed.values.all?(&:empty?)
