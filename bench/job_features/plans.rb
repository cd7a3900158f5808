# frozen_string_literal: true

require_relative "../jobs/plan"

module JobFeaturesBench
  # The workloads. The CPU time is that of the worker, for each job or step.
  module Plans
    ALL = [
      JobsBench::Plan.new(name: "plain", title: "a job", way: :drain, jobs: 20_000),
      JobsBench::Plan.new(name: "limited", title: "a job with a limit for its key", way: :drain,
        jobs: 10_000, kind: "limited"),
      JobsBench::Plan.new(name: "rated", title: "a job with a rate for its key", way: :drain,
        jobs: 10_000, kind: "rated"),
      JobsBench::Plan.new(name: "workflow", title: "a step of a workflow", unit: "step",
        way: :drain, jobs: 5_000, kind: "workflow"),
      JobsBench::Plan.new(name: "durable", title: "a step of a durable function", unit: "step",
        way: :drain, jobs: 5_000, kind: "durable"),
      JobsBench::Plan.new(name: "lone", title: "a lone job, enqueued and awaited", way: :lone,
        jobs: 300),
      JobsBench::Plan.new(name: "tenants", title: "a job of a small tenant", way: :tenants,
        work: "cpu", jobs: 10_000, rate: 20, kind: "fair"),
      JobsBench::Plan.new(name: "memory", title: "memory", way: :memory_growth, jobs: 10_000)
    ].to_h { |plan| [plan.name, plan] }.freeze
  end
end
