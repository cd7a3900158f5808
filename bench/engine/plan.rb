# frozen_string_literal: true

module EngineBench
  # A workload of the suite. Counts are chosen so that a measurement takes between 0.3 and 2 seconds
  # on a small machine.
  #
  # @!attribute step
  #   @return [Integer] counts are multiples of it
  # @!attribute limit
  #   @return [Boolean] whether the C program can do it
  Plan = Data.define(:name, :title, :unit, :file, :type, :settings, :step, :warm, :operations,
    :limit) do
    def initialize(name:, title:, unit:, file:, type:, operations:, settings: {}, step: 1,
      warm: operations / 5, limit: false)
      super
    end

    # @return [Class] loaded now
    def workload
      require_relative "workloads/#{file}"
      EngineBench.const_get(type)
    end

    # @return [Hash] warm: and operations:, for a run of this size
    def counts(scale) = {warm: round(warm * scale), operations: round(operations * scale)}

    # Whether an operation leaves something waiting that has a size.
    def parks? = limit || name == "parked"

    private

    def round(count) = [(count / step).floor, 1].max * step
  end

  # The suite.
  module Plans
    module_function

    def echo(connections, operations)
      title = "TCP echo, #{connections} #{(connections == 1) ? "connection" : "connections"}"
      Plan.new(name: "echo_#{connections}", title:, unit: "request", file: "echo", type: :Echo,
        settings: {connections:}, step: connections, operations:, limit: true)
    end

    def pipe(name, title, pairs, over, operations)
      Plan.new(name:, title:, unit: "throw", file: "pipe", type: :Pipe, settings: {pairs:, over:},
        step: pairs * 2, operations:)
    end

    def file(name, title, bytes, operations)
      Plan.new(name:, title:, unit: "file", file: "files", type: :Files, settings: {bytes:},
        step: 16, operations:)
    end

    ALL = [
      echo(1, 10_000), echo(64, 40_000), echo(1_024, 40_960), echo(8_192, 49_152),
      Plan.new(name: "http", title: "HTTP keep-alive, a timeout for each wait, 256 connections",
        unit: "request", file: "http",
        type: :Http, settings: {connections: 256}, step: 256, operations: 30_720, limit: true),
      pipe("pipe", "ping-pong over pipes, one pair", 1, :pipe, 50_000),
      pipe("pairs", "ping-pong over socket pairs, 50 pairs", 50, :socket, 50_000),
      Plan.new(name: "spawn", title: "spawn and finish", unit: "fiber", file: "spawn", type: :Spawn,
        step: 1_000,
        operations: 150_000),
      Plan.new(name: "spawn_wait", title: "spawn, wait once, finish", unit: "fiber", file: "spawn",
        type: :SpawnWait, step: 1_000,
        operations: 50_000),
      Plan.new(name: "storm", title: "timers, half cancelled, half run out; 10,000 fibers",
        unit: "timer", file: "timers", type: :Storm,
        step: 20, operations: 100_000),
      Plan.new(name: "timeout", title: "Timeout.timeout around what is in time; 1,000 fibers",
        unit: "timeout", file: "timers",
        type: :Timeouts, step: 50, operations: 50_000),
      Plan.new(name: "sleepers", title: "20,000 sleep at once, 0 to 1 s", unit: "sleep",
        file: "timers", type: :Sleepers, step: 1,
        warm: 1_000, operations: 20_000),
      Plan.new(name: "handoff", title: "queue, fiber to fiber", unit: "hand-off", file: "handoff",
        type: :Handoff, step: 2,
        operations: 400_000),
      Plan.new(name: "thread", title: "queue, fiber to thread and back", unit: "hand-off",
        file: "handoff", type: :ThreadHandoff, step: 2,
        operations: 20_000),
      file("file_4k", "open, read, close a file of 4 KB", 4_096, 10_000),
      file("file_1m", "the same, 1 MB", 1_048_576, 640),
      Plan.new(name: "fan_out", title: "fan-out to 1,000 fibers, each waits on a socket",
        unit: "fiber", file: "fan_out", type: :FanOut,
        step: 1_000, operations: 20_000),
      Plan.new(name: "parked", title: "10,000 fibers wait for a queue", unit: "fiber",
        file: "parked", type: :Parked, step: 1,
        warm: 100, operations: 10_000)
    ].to_h { |plan| [plan.name, plan] }.freeze
  end
end
