# frozen_string_literal: true

require_relative "../harness/target"
require_relative "databases"
require_relative "plan"

module JobsBench
  # A target: a system on a database.
  #
  # @!attribute concurrency
  #   @return [Integer, nil] jobs at a time, unless the workload says how many; nil: its own default
  Setup = Data.define(:system, :database, :concurrency)

  # All targets. Rivals are those that keep jobs in the same place. Logs are those of production: a
  # line for each job, where that is the default.
  module Targets
    # The part of the workloads that those do that take milliseconds for a job.
    SLOW = {"noop" => 0.05, "cpu" => 0.4, "io" => 0.2, "enqueue" => 0.1, "bulk" => 0.1,
            "idle" => 0.1, "million" => 0.005}.freeze
    # Threads by the thousand are nobody's way, but for Sidekiq, which has the best of them, to be
    # seen beside.
    NO_THOUSAND = {"io_1000" => nil}.freeze
    ONE = "it does one job at a time"
    SEEKS = "it looks for jobs every 5 s"

    module_function

    def target(name, group, system, database, concurrency = nil, gem: nil, share: {}, without: {})
      Bench::Target.new(name:, group:, gem:, share:, without:,
        open: -> { Setup.new(system:, database:, concurrency:) },
        trouble: -> { Databases::ALL.fetch(database).trouble })
    end

    def waits_badly(reason) = {"io" => reason, "io_1000" => nil, "calm" => SEEKS, "busy" => SEEKS}

    TOGETHER = %w[enqueue bulk idle million].to_h { |name| [name, nil] }.freeze

    ALL = [
      target("raffia-redis", :redis, :Raffia, :redis, gem: "redis-client"),
      target("sidekiq-10", :redis, :Sidekiq, :redis, 10, gem: "sidekiq"),
      target("sidekiq-25", :redis, :Sidekiq, :redis, 25, gem: "sidekiq",
        without: %w[cpu io io_1000 enqueue bulk calm busy idle million].to_h { |name|
          [name,
            nil]
        }),
      target("async-job", :redis, :AsyncJob, :redis, gem: "async-job",
        without: {"io" => "it does all jobs at once", "million" => nil}),
      target("resque", :redis, :Resque, :redis, gem: "resque",
        share: {**SLOW, "noop" => 0.005, "cpu" => 0.1, "idle" => 0.05, "enqueue" => 1.0,
                        "bulk" => 1.0}, without: waits_badly(ONE)),
      target("raffia-sqlite", :sqlite, :Raffia, :folder, gem: "sqlite3"),
      target("solid_queue-sqlite", :sqlite, :SolidQueue, :folder, 10, gem: "solid_queue",
        share: SLOW, without: NO_THOUSAND),
      target("delayed_job", :sqlite, :DelayedJob, :folder, gem: "delayed_job_active_record",
        share: SLOW, without: waits_badly(ONE)),
      target("raffia-postgres", :postgres, :Raffia, :postgres, gem: "pg"),
      target("solid_queue-postgres", :postgres, :SolidQueue, :postgres, 10, gem: "solid_queue",
        share: SLOW, without: NO_THOUSAND),
      target("good_job", :postgres, :GoodJob, :postgres, 10, gem: "good_job", share: SLOW,
        without: NO_THOUSAND),
      target("raffia-memory", :memory, :RaffiaInProcess, :folder, without: TOGETHER),
      target("sucker_punch", :memory, :SuckerPunch, :folder, 10, gem: "sucker_punch",
        without: {**TOGETHER, **NO_THOUSAND})
    ].to_h { |target| [target.name, target] }.freeze
  end
end
