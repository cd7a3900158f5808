# frozen_string_literal: true

require "support/servers"
require_relative "../jobs/work_case"

# Unchanged gems that extend Sidekiq, on Raffia's layer, with workers and clients in subprocesses.
class CompatSidekiqGemsTest < Raffia::JobsWorkCase
  SAY = %q(File.write("said", "#{[self.class.name, *words, Process.pid].join(" ")}\n", mode: "a"))
  PROGRAMS = {
    "sidekiq-cron" => <<~RUBY,
      Sidekiq::Cron.configure { |config| config.cron_poll_interval = 1 }
      class TickJob
        include Sidekiq::Job
        def perform(*words) = #{SAY}
      end
      Sidekiq.configure_server do |config|
        config.on(:startup) {
          Sidekiq::Cron::Job.create(name: "tick", cron: "* * * * * *", class: "TickJob",
            args: ["cron"])
        }
      end
    RUBY
    "sidekiq-scheduler" => <<~RUBY,
      class TickJob
        include Sidekiq::Job
        def perform(*words) = #{SAY}
      end
      Sidekiq.schedule = {"tick" => {"every" => ["1s"], "class" => "TickJob",
        "args" => ["scheduler"]}}
    RUBY
    "sidekiq-status" => <<~RUBY,
      class SlowJob
        include Sidekiq::Job
        include Sidekiq::Status::Worker
        def perform(*words)
          total 8
          at 2, "a quarter"
          #{SAY}
          sleep(0.01) until File.exist?("gate")
        end
      end
      Sidekiq.configure_client { |config| Sidekiq::Status.configure_client_middleware(config) }
      Sidekiq.configure_server do |config|
        Sidekiq::Status.configure_server_middleware(config)
        Sidekiq::Status.configure_client_middleware(config)
      end
    RUBY
    "sidekiq-unique-jobs" => <<~RUBY
      SidekiqUniqueJobs.configure { |config| config.enabled = true }
      class OnlyJob
        include Sidekiq::Job
        sidekiq_options lock: :until_executed
        def perform(*words) = #{SAY}
      end
      clients = ->(config) {
        config.client_middleware { |chain| chain.add(SidekiqUniqueJobs::Middleware::Client) }
      }
      Sidekiq.configure_client(&clients)
      Sidekiq.configure_server do |config|
        clients.call(config)
        config.server_middleware { |chain| chain.add(SidekiqUniqueJobs::Middleware::Server) }
        SidekiqUniqueJobs::Server.configure(config)
      end
    RUBY
  }.freeze

  def url = "redis://127.0.0.1:#{server.port}/7"

  def setup
    super
    RedisClient.config(host: "127.0.0.1", port: server.port, db: 7).new_client
      .tap { |redis| redis.call("FLUSHDB") }.close
  end

  def test_sidekiq_cron
    program("sidekiq-cron")
    work { await_said("TickJob", "cron", count: 2) }
  end

  def test_sidekiq_scheduler
    program("sidekiq-scheduler")
    work { await_said("TickJob", "scheduler", count: 2) }
  end

  def test_sidekiq_status
    program("sidekiq-status")
    jid = client("puts SlowJob.perform_async").strip
    assert_equal "queued", client("puts Sidekiq::Status.status(#{jid.dump})").strip
    work do
      await_said("SlowJob")
      assert_equal ["working", "25", "a quarter"],
        client("puts Sidekiq::Status.status(#{jid.dump}), " \
          "Sidekiq::Status.pct_complete(#{jid.dump}), Sidekiq::Status.message(#{jid.dump})")
          .split("\n")
      open_gate("gate")
      await_counts(running: 0)
      assert_equal "complete", client("puts Sidekiq::Status.status(#{jid.dump})").strip
    end
  end

  def test_sidekiq_unique_jobs
    program("sidekiq-unique-jobs")
    assert_equal [true, false, true],
      JSON.parse(
        client("puts [OnlyJob.perform_async(1), OnlyJob.perform_async(1), " \
          "OnlyJob.perform_async(2)].map { |jid| !jid.nil? }.inspect").lines.last
      )
    work do
      await_said("OnlyJob", "1")
      await_said("OnlyJob", "2")
      await_counts(queue: 0, running: 0)
    end
    assert_equal [true],
      JSON.parse(client("puts [!OnlyJob.perform_async(1).nil?].inspect").lines.last),
      "its lock is gone with it"
  end

  # Raffia's dashboard does not show their pages, which must not prevent a program's start.
  def test_pages_of_gems_are_loaded_and_not_shown
    %w[sidekiq-cron sidekiq-scheduler sidekiq-status sidekiq-unique-jobs].each do |name|
      need_gem(name)
    end
    ended = ruby("-e", <<~RUBY)
      require "rack"
      require "raffia/compat/sidekiq"
      require "sidekiq/web"
      %w[sidekiq-cron sidekiq-scheduler sidekiq-status sidekiq-unique-jobs].each { |name|
        require name
      }
      require "sidekiq/cron/web"
      require "sidekiq-scheduler/web"
      require "sidekiq-status/web"
      require "sidekiq_unique_jobs/web"
      puts "loaded"
    RUBY
    assert_match(/^loaded$/, ended.out, ended.err)
  end

  private

  def server = @server ||= TestSupport::Redis.running

  def need_gem(name)
    Gem::Specification.find_all_by_name(name).any? ||
      skip("the gem #{name} is not installed (bin/setup --server)")
  end

  def program(name)
    need_gem(name)
    script("require \"raffia/compat/sidekiq\"\nrequire \"#{name}\"\n#{PROGRAMS.fetch(name)}",
      "jobs.rb")
  end

  # Output of a program with the jobs.
  def client(program)
    ended = ruby("-W0", "-e", "require './jobs'; #{program}", env: {"RAFFIA_STORE" => url})
    assert_predicate ended.status, :success?, ended.err
    ended.out
  end
end
