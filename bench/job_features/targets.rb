# frozen_string_literal: true

require_relative "../jobs/targets"
require_relative "plans"

module JobFeaturesBench
  # Raffia on each store, and rivals on the same database.
  module Targets
    # Shares of the jobs for targets that take milliseconds for one.
    SLOW = {"plain" => 0.05, "limited" => 0.05, "rated" => 0.03, "workflow" => 0.06,
            "durable" => 0.06, "lone" => 0.2, "memory" => 0.1}.freeze
    NO_RATES = "it has no rates"
    NO_LIMITS = "its free edition has no limits"
    NO_STEPS = "it has no steps that are kept"
    # Its own workload only.
    def self.only(*names) = Plans::ALL.keys.difference(names).to_h { |name| [name, nil] }

    # Workflows are a gem's of their own.
    RAILS = {"workflow" => nil}.freeze

    def self.target(name, group, system, database, concurrency = nil, gem: nil, share: {},
      without: {})
      Bench::Target.new(name:, group:, gem:, share:, without:,
        open: -> { JobsBench::Setup.new(system:, database:, concurrency:) },
        trouble: -> { JobsBench::Databases::ALL.fetch(database).trouble })
    end

    ALL = [
      target("raffia-redis", :redis, :Raffia, :redis, gem: "redis-client"),
      target("sidekiq", :redis, :Sidekiq, :redis, 10, gem: "sidekiq",
        without: {"limited" => NO_LIMITS, "rated" => NO_RATES, "workflow" => nil,
                  "durable" => NO_STEPS}),
      target("gush", :redis, :Gush, :redis, 10, gem: "gush", share: SLOW,
        without: only("workflow")),
      target("raffia-sqlite", :sqlite, :Raffia, :folder, gem: "sqlite3"),
      target("solid_queue-sqlite", :sqlite, :SolidQueue, :folder, 10, gem: "solid_queue",
        share: SLOW, without: {**RAILS, "rated" => NO_RATES}),
      target("solid_queue-fibers-sqlite", :sqlite, :SolidQueueFibers, :folder, 50,
        gem: "solid_queue", share: SLOW, without: {**RAILS, "rated" => NO_RATES}),
      target("geneva_drive", :sqlite, :GenevaDrive, :folder, 10, gem: "geneva_drive", share: SLOW,
        without: only("workflow")),
      target("acidic_job", :postgres, :AcidicJob, :postgres, 10, gem: "acidic_job", share: SLOW,
        without: only("durable")),
      target("raffia-postgres", :postgres, :Raffia, :postgres, gem: "pg"),
      target("solid_queue-postgres", :postgres, :SolidQueue, :postgres, 10, gem: "solid_queue",
        share: SLOW, without: {**RAILS, "rated" => NO_RATES}),
      target("solid_queue-fibers-postgres", :postgres, :SolidQueueFibers, :postgres, 50,
        gem: "solid_queue", share: SLOW, without: {**RAILS, "rated" => NO_RATES}),
      target("good_job", :postgres, :GoodJob, :postgres, 10, gem: "good_job", share: SLOW,
        without: RAILS),
      target("raffia-mariadb", :mariadb, :Raffia, :mariadb, gem: "trilogy"),
      target("solid_queue-mariadb", :mariadb, :SolidQueue, :mariadb, 10, gem: "solid_queue",
        share: SLOW, without: {**RAILS, "rated" => NO_RATES, "memory" => nil, "lone" => nil})
    ].to_h { |target| [target.name, target] }.freeze
  end
end
