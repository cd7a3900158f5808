# frozen_string_literal: true

module JobsBench
  # A workload of the suite.
  #
  # @!attribute way
  #   @return [Symbol] what is done and measured, see {Sampler}: :drain, :enqueue, :pace, :idle,
  #   :million
  # @!attribute work
  #   @return [String] what a job does, see {Work}
  # @!attribute jobs
  #   @return [Integer] how many of them; :pace has as many as come in its seconds
  # @!attribute concurrency
  #   @return [Integer, nil] jobs at a time; nil: what the target is called after, or its own
  #   default
  # @!attribute rate
  #   @return [Integer] jobs in a second that come when they come; 0 where all are there from the
  #   beginning
  # @!attribute kind
  #   @return [String] which class of jobs, see {Systems::System#kind}
  Plan = Data.define(:name, :title, :unit, :way, :work, :jobs, :concurrency, :rate, :kind) do
    def initialize(name:, title:, way:, unit: "job", work: "noop", jobs: 0, concurrency: nil,
      rate: 0, kind: "plain")
      super
    end

    # Harness::Page asks for it.
    def parks? = false

    # Only when it is asked for.
    def long? = way == :million
  end

  # The suite.
  module Plans
    ALL = [
      Plan.new(name: "noop", title: "jobs that do nothing", way: :drain, jobs: 20_000),
      Plan.new(name: "cpu", title: "1 ms of CPU in each job", way: :drain, work: "cpu", jobs: 800),
      Plan.new(name: "io", title: "10 ms of I/O in each job, 50 at a time", way: :drain, work: "io",
        jobs: 3_000, concurrency: 50),
      Plan.new(name: "io_1000", title: "10 ms of I/O in each job, 1,000 at a time", way: :drain,
        work: "io", jobs: 20_000, concurrency: 1_000),
      Plan.new(name: "enqueue", title: "enqueue, one by one (the enqueuing process)", way: :enqueue,
        jobs: 4_000),
      Plan.new(name: "bulk", title: "enqueue, 1,000 at once (the enqueuing process)", way: :enqueue,
        jobs: 20_000),
      Plan.new(name: "calm", title: "90 jobs of 1 ms of CPU come in a second", way: :pace,
        work: "cpu", rate: 90),
      Plan.new(name: "busy", title: "720 jobs of 1 ms of CPU come in a second", way: :pace,
        work: "cpu", rate: 720),
      Plan.new(name: "idle", title: "a second without a job", unit: "second", way: :idle,
        jobs: 1_000),
      Plan.new(name: "million", title: "a backlog of 1,000,000 jobs that do nothing", way: :million,
        jobs: 1_000_000)
    ].to_h { |plan| [plan.name, plan] }.freeze
  end
end
