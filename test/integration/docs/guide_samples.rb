# frozen_string_literal: true

module Raffia
  # The samples of README and guides that are indented, because they are no programs by themselves.
  # Each is found by its page and first words.
  module GuideSamples
    # The program around each sample: the sample replaces SAMPLE, and `good` is printed in the end.
    # The servers that it needs come first.
    PROGRAMS = {
      ["guides/drivers.md", "pool = RedisClient"] => [:Redis, <<~'RUBY'],
        require "redis-client"
        ids = 1..40
        redis = RedisClient.new(url: ENV.fetch("REDIS_URL"))
        ids.each { |id| redis.call("HSET", "user:#{id}", "id", id) }
        users = begin
          SAMPLE
        end
        puts "good" if users.map { |user| user["id"].to_i } == ids.to_a
      RUBY
      ["guides/drivers.md", "begin"] => [:PostgreSQL, <<~RUBY],
        require "pg"
        connection = PG.connect(ENV.fetch("POSTGRESQL_URL"))
        report = "SELECT pg_sleep(600)"
        Raffia.run do
          SAMPLE
        rescue Raffia::TimeoutError
          puts "good" if connection.exec("SELECT 1").getvalue(0, 0) == "1"
        end
      RUBY
      ["guides/drivers.md", "Raffia.offload do"] => [:MariaDB, <<~RUBY],
        require "mysql2"
        require "uri"
        settings = {host: "127.0.0.1", port: URI(ENV.fetch("MARIADB_URL")).port, username: "root"}
        Mysql2::Client.new(**settings).tap do |client|
          client.query("CREATE DATABASE IF NOT EXISTS post")
          client.query("CREATE TABLE IF NOT EXISTS post.mails (id INT PRIMARY KEY)")
          client.query("REPLACE INTO post.mails VALUES (7)")
        end
        settings[:database] = "post"
        id = 7
        rows = Raffia.run { SAMPLE }
        puts "good" if rows == [{"id" => 7}]
      RUBY
      ["guides/jobs.md", "require \"pg\""] => [:PostgreSQL, <<~RUBY],
        require "pg"
        PG.connect(ENV.fetch("POSTGRESQL_URL")).tap do |connection|
          connection.exec("SET client_min_messages = warning")
          connection.exec("DROP SCHEMA IF EXISTS raffia CASCADE; DROP TABLE IF EXISTS orders")
          connection.exec("CREATE TABLE orders (id int PRIMARY KEY)")
        end
        SAMPLE
        puts "good" if database.exec("SELECT id FROM orders").values == [["7"]] &&
          Raffia::Jobs.store.entries(:queue).map { |entry| entry.item["args"] } == [[7]]
      RUBY
      ["guides/jobs_batches.md", "outer.jobs do"] => [nil, <<~RUBY],
        require "raffia/jobs/testing"
        class PartJob
          include Raffia::Job
          def perform(part) = DONE << part
        end
        class MergeJob
          include Raffia::Job
          def perform(*) = DONE << :merged
        end
        DONE = []
        parts = [[1], [2]]
        Raffia::Jobs::Testing.fake do
          outer, inner = Array.new(2) { Raffia::Jobs::Batch.new }
          SAMPLE
          Raffia::Jobs::Testing.drain_all
          puts "good" if DONE == [1, 2, :merged] && outer.status.success?
        end
      RUBY
      ["guides/supervision.md", "Raffia::Jobs.actors"] => [nil, <<~RUBY],
        require "raffia/jobs"
        require "raffia/actor"
        App = Class.new(Raffia::Supervisor)
        SAMPLE
        actors = Raffia::Jobs::Setup.current.actors.map(&:call).flatten
        puts "good" if actors.all?(&:alive?) && Raffia::Actor[:app]
      RUBY
      ["guides/simulation.md", "require \"raffia/simulation/minitest\""] => [nil, <<~RUBY],
        require "minitest"
        class Stock
          attr_reader :count
          def initialize(count) = @count = count
          def buy = available? && (@count -= 1) && true
          def available? = @count.positive?
        end
        SAMPLE
        puts "good" unless Minitest.run([])
      RUBY
      ["guides/jobs_durable.md", "Raffia::Durable.signal(id"] => [nil, <<~RUBY],
        require "raffia/jobs"
        require "raffia/jobs/worker"

        class Waiting
          include Raffia::Durable

          def call
            publish("begun")
            wait_for(:confirmed)
          end
        end

        Raffia::Jobs.run_in_process do
          id = Waiting.start
          sleep(0.01) until Raffia::Durable.status(id) == "waiting"
          puts "good" if Raffia::Durable.query(id) == "begun"
          cancelled = begin
            SAMPLE
          end
          puts "good" unless cancelled
        end
      RUBY
      ["guides/jobs_testing.md", "require \"raffia/jobs/testing/assertions\""] => [nil, <<~RUBY]
        require "minitest"
        require "raffia/jobs"
        class MailJob
          include Raffia::Job
          options queue: "mail"
        end
        module Signup
          def self.call(address) = (MailJob.perform_async(address) if address.include?("@"))
        end
        SAMPLE
        puts "good" if Minitest.run([])
      RUBY
    }.freeze

    # Whole files, which `raffia serve --check` reads.
    FILES = {
      ["guides/deploy.md", "bind \"systemd:\""] => "raffia.rb",
      ["guides/deploy.md", "# config/raffia.rb"] => "raffia.rb",
      ["guides/jobs.md", "# config.ru"] => "config.ru",
      ["guides/from_puma.md", "# config/raffia.rb"] => "raffia.rb",
      ["guides/rails_on_fibers.md", "# config/raffia.rb, with pool: 20"] => "raffia.rb",
      ["guides/rails_on_fibers.md", "# config/raffia.rb\n"] => "raffia.rb",
      ["guides/server.md", "# raffia.rb"] => "raffia.rb",
      ["guides/server.md", "compress :zstd"] => "raffia.rb",
      ["guides/server.md", "client_key {"] => "raffia.rb",
      ["guides/supervision.md", "require \"./app/actors\""] => "raffia.rb"
    }.freeze

    # Samples that do not run here, and why.
    LEFT_OUT = {
      ["guides/backpressure.md", "proxy_set_header"] => "for other programs: " \
        "server/proxies_test.rb",
      ["guides/deadlines.md", "script.rb:9"] => "after a Ctrl-C: ctrl_c_test.rb",
      ["guides/deploy.md", "# /etc/systemd"] => "for systemd",
      ["guides/deploy.md", "# /etc/logrotate.d"] => "for logrotate",
      ["guides/deploy.md", "kill -USR2"] => "cli/serve_takeover_test.rb",
      ["guides/deploy.md", "[Service]\n"] => "cli/serve_takeover_systemd_test.rb",
      ["guides/deploy.md", "#!/bin/sh"] => "for process 1 of a container",
      ["guides/from_passenger_unicorn.md", "upstream app"] => "for nginx: server/proxies_test.rb",
      ["guides/getting_started.md", "gem \"raffia\""] => "a line of a Gemfile: cli/new_test.rb",
      ["guides/jobs.md",
        "Raffia::Jobs.transaction(Order.connection)"] => "jobs/postgres_transaction_test.rb, " \
          "jobs/rails_postgres_test.rb",
      ["guides/jobs_dashboard.md", "map(\"/jobs\")"] => "jobs/web_test.rb, jobs/rails_test.rb",
      ["guides/jobs_durable.md", "patch(:by_mail)"] => "unit/jobs/durable_errors_test.rb",
      ["guides/jobs_durable.md", "continue_as_new(cursor)"] => "unit/jobs/durable_test.rb",
      ["guides/jobs_scaling.md", "triggers:"] => "for KEDA",
      ["guides/jobs_scaling.md", "- type: prometheus"] => "for KEDA",
      ["guides/jobs_scaling.md", "histogram_quantile"] => "for Prometheus",
      ["guides/jobs_scaling.md", "metrics:"] => "for Kubernetes",
      ["guides/jobs_scaling.md", "while sleep 30"] => "runs forever: cli/jobs_test.rb",
      ["guides/jobs_scaling.md", "pid="] => "for a machine with a worker: jobs/work_test.rb",
      ["guides/jobs_testing.md", "config.around"] => "for RSpec",
      ["guides/jobs_testing.md", "# test_helper.rb"] => "unit/jobs/testing_suite_test.rb",
      ["guides/jobs_testing.md", "simulate "] => "unit/jobs/testing_suite_test.rb",
      ["guides/jobs_workers.md", "Raffia::Jobs.on_error"] => "unit/jobs/worker/on_error_test.rb",
      ["guides/lab.md", "schema "] => "describes a file: lab_test.rb",
      ["guides/observability.md", "postrotate"] => "for logrotate",
      ["guides/jobs_durable.md", "CREATE TABLE raffia_steps"] => "for a migration: " \
        "jobs/durable_transaction_test.rb",
      ["guides/rails_jobs.md", "class ImportJob"] => "jobs/active_job_steps_test.rb",
      ["guides/rails_jobs.md", "gem \"raffia\", require"] => "jobs/rails_generators_test.rb",
      ["guides/rails_jobs.md", "config.raffia.store"] => "jobs/rails_test.rb",
      ["guides/rails_on_fibers.md", "requests run in fibers"] => "server/rails_new_test.rb",
      ["guides/server.md", "raffia serve --client-rate"] => "server/client_limits_test.rb",
      ["guides/server.md", "error_page 502"] => "server/error_pages_test.rb",
      ["guides/simulation.md", "RAFFIA_SEED="] => "an output: simulation/minitest_test.rb",
      ["guides/supervisor.md", "autoscale ="] => "supervisor/autoscaler_test.rb",
      ["guides/supervisor.md", "supervisor "] => "a picture"
    }.freeze
  end
end
