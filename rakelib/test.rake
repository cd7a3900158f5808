# frozen_string_literal: true

desc "Run the Ruby tests; TEST=file or folder, TESTOPTS=minitest's options"
task test: :compile do
  ruby "-Ilib", "-Itest", "script/minitest.rb", *ENV["TEST"], *ENV.fetch("TESTOPTS", "").split,
    verbose: false
end

namespace :test do
  desc "Run all tests and write test/times.tsv, by which bin/test plans its batches"
  task times: :compile do
    sh({"RAFFIA_TEST_TIMES" => "1"}, RbConfig.ruby, "script/test_run.rb", "2", verbose: false)
  end

  desc "A million operations of each kind of storm, broken off at random, 30 s of workers " \
    "killed, and a minute of actors; RAFFIA_STORM_SEED repeats one"
  task storm: :compile do
    size = ENV.fetch("RAFFIA_STORM", "1000000")
    seconds = ENV.fetch("RAFFIA_KILL_STORM", "30")
    sh({"RAFFIA_STORM" => size, "RAFFIA_KILL_STORM" => seconds, "RAFFIA_TEST_LIMIT" => "0"},
      RbConfig.ruby, "-Ilib", "-Itest", "script/minitest.rb",
      "test/stress/scheduler_storm_test.rb", "test/stress/process_storm_test.rb", "--verbose",
      verbose: false)
    sh({"RAFFIA_ACTOR_STORM" => ENV.fetch("RAFFIA_ACTOR_STORM", "60"),
      "RAFFIA_TEST_LIMIT" => "0"}, RbConfig.ruby, "-Ilib", "-Itest", "script/minitest.rb",
      "test/stress/actor_storm_test.rb", "--verbose", verbose: false)
  end

  desc "A million jobs, workflows and durable functions on each store under kills, standstills, " \
    "clock jumps, partitions and power cuts: nothing is lost, and nothing done twice is taken. " \
    "RAFFIA_LEDGER=how many, RAFFIA_LEDGER_SEED, TESTOPTS"
  task ledger: :compile do
    sh({"RAFFIA_LEDGER" => ENV.fetch("RAFFIA_LEDGER", "1000000"), "RAFFIA_TEST_LIMIT" => "0"},
      RbConfig.ruby, "-Ilib", "-Itest", "script/minitest.rb",
      "test/stress/jobs_ledger_test.rb", "--verbose", *ENV.fetch("TESTOPTS", "").split,
      verbose: false)
  end

  desc "A million requests on kept connections, which move between workers while these are " \
    "replaced and killed: none is lost but those of killed workers. RAFFIA_MOVES=how many"
  task moves: :compile do
    sh({"RAFFIA_MOVES" => ENV.fetch("RAFFIA_MOVES", "1000000"), "RAFFIA_TEST_LIMIT" => "0"},
      RbConfig.ruby, "-Ilib", "-Itest", "script/minitest.rb",
      "test/stress/server_moves_test.rb", "--verbose", verbose: false)
  end

  desc "30 minutes of requests by HTTP/1.1 and HTTP/2, with and without TLS, while workers are " \
    "killed, replaced, added and taken away, connections move, and new servers take over: none " \
    "fails but those of killed workers. MINUTES, SEED"
  task server_failures: :compile do
    sh({"RAFFIA_TEST_LIMIT" => "0"}, RbConfig.ruby, "-Ilib", "-Itest",
      "test/server_failures/main.rb", "--verbose", verbose: false)
  end

  namespace :ledger do
    desc "Workers of Raffia, Sidekiq and Solid Queue (those whose gems are there) are killed: " \
      "which acknowledged jobs are never done? LEDGER_JOBS, LEDGER_KILLS, LEDGER_QUIET"
    task rivals: :compile do
      %w[raffia-sqlite raffia-redis sidekiq solid_queue].each do |name|
        ruby "-Ilib", "-Itest", "test/ledger/rivals/main.rb", name, verbose: false
      end
    end
  end
end
