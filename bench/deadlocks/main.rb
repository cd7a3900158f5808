# frozen_string_literal: true

# Deadlocks of job systems in MariaDB, by the server's own count: 16 claimers and 16 enqueuers in
# eight processes, three dispatchers of scheduled jobs, and one that prunes. This is the load of
# rails/solid_queue#531 (claims of many threads beside enqueues, bulks and limited jobs) and #609
# (several dispatchers with batches of 500).
#
#     rake bench:deadlocks
#     RAFFIA_BENCH_GEMS=FOLDER ruby -Ilib bench/deadlocks/main.rb [raffia] [solid_queue]
#
# DURATION=30 is how long each system is under load. FOLDER has the gems trilogy, solid_queue and
# railties (../harness/gems.rb). MariaDB is Debian's.

require "rbconfig"
require "tmpdir"
require_relative "server"

module DeadlocksBench
  SECONDS = Integer(ENV.fetch("DURATION", "30"))
  ROLES = {"claim" => 4, "enqueue" => 4, "promote" => 3, "prune" => 1}.freeze
  FOLDER = ENV["RAFFIA_BENCH_GEMS"]
  ENVIRONMENT = FOLDER ? {"GEM_HOME" => FOLDER, "GEM_PATH" => "#{FOLDER}:#{Gem.default_dir}"} : {}

  module_function

  def spawn(system, role, url)
    reader, writer = IO.pipe
    environment = {**ENVIRONMENT, "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil,
                                  "DURATION" => SECONDS.to_s}
    pid = Process.spawn(environment, RbConfig.ruby, "-I#{File.expand_path("../../lib", __dir__)}",
      "#{__dir__}/role.rb", system, role, url, out: writer)
    writer.close
    [pid, reader]
  end

  # Sums over the processes of a role.
  def finish(children)
    children.sum do |pid, reader|
      output = reader.read
      Process.wait(pid)
      abort "bench: a process failed" unless $?.success?
      Integer(output.lines.last)
    end
  end

  def run(system)
    Dir.mktmpdir("raffia-deadlocks-") do |folder|
      server = Server.new(folder).tap(&:start)
      finish([spawn(system, "setup", server.url)])
      before = server.deadlocks
      children = ROLES.to_h do |role, count|
        [role, Array.new(count) { spawn(system, role, server.url) }]
      end
      counts = children.transform_values { |list| finish(list) }
      puts "#{system.ljust(12)} deadlocks: #{server.deadlocks - before}, done: " \
        "#{counts["claim"]}, enqueued: #{counts["enqueue"]}, promoted: #{counts["promote"]}"
    ensure
      server&.stop
    end
  end
end

(ARGV.empty? ? %w[raffia solid_queue] : ARGV).each { |system| DeadlocksBench.run(system) }
