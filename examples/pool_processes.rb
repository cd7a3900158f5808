# frozen_string_literal: true

# A pool of warm processes: digests of files on all cores. A worker that dies is named, and
# replaced.
#
#     bin/raffia run examples/pool_processes.rb [FOLDER]
#
# It prints the digest of each file, and then which of three pieces of work was lost with its
# worker.

require "raffia"
require "digest"

$stdout.sync = true # each line as it comes, in a pipe too

files = Dir[File.join(ARGV.fetch(0, __dir__), "**/*")].select { |path| File.file?(path) }

Raffia::Pool.open(on: :processes, work: ->(path) { Digest::SHA256.file(path).hexdigest }) do |pool|
  pool.map(files).zip(files) { |digest, path| puts "#{digest[0, 16]}  #{path}" }
  puts "by the workers #{pool.stats[:pids].join(", ")}"
end

pool = Raffia::Pool.new(on: :processes, workers: 1) do |n|
  (n == 2) ? Process.kill(:KILL, Process.pid) : n * 10
end
[1, 2, 3].map { |n| pool.submit(n) }.each do |future|
  puts "value: #{future.value}"
rescue Raffia::WorkerDied => e
  puts "lost: item #{e.item}, #{e.signal} (worker #{e.pid})"
end
pool.shutdown
