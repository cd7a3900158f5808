# frozen_string_literal: true

require_relative "h2load_plan"

module ServerBench
  # A workload of the suite.
  #
  # @!attribute connections
  #   @return [Integer]
  # @!attribute load
  #   @return [Hash] what the load is told besides: see load.c
  # @!attribute rate
  #   @return [Integer] requests in a second that come in the open loop, in which latencies are
  #   measured; 0 for none
  Plan = Data.define(:name, :title, :unit, :connections, :load, :rate, :seconds) do
    def initialize(name:, title:, unit: "request", connections: 64, load: {}, rate: 0, seconds: 1.0)
      super
    end

    # Harness::Machine asks for it.
    def settings = {connections:}

    # @param scale [Float]
    # @return [Array<String>] the load's arguments
    def arguments(scale)
      open = {rate:, open: seconds * scale} if rate.positive?
      {warm: seconds * scale / 2, seconds: seconds * scale, **open.to_h,
       **load}.map do |name, value|
        "#{name}=#{value}"
      end
    end

    # @return [Load]
    def load_for(server, scale) = Load.new(server, self, arguments(scale))

    def http2? = false

    # @return [String, nil] what is missing here
    def trouble = nil

    # The memory of a connection is told where there are many.
    def parks? = connections > 1_000
  end

  # The suite. A rate is one that every target but the slowest can serve on one core, so that what
  # is compared is waiting, not failing.
  module Plans
    ALL = [
      Plan.new(name: "hello", title: "hello, keep-alive", rate: 4_000),
      Plan.new(name: "hello_8192", title: "hello, keep-alive, 8,192 connections",
        connections: 8_192, seconds: 1.5),
      Plan.new(name: "pipelined", title: "hello, 16 pipelined", load: {depth: 16}),
      Plan.new(name: "json", title: "POST of 1 KiB JSON, echoed", load: {mix: "json"}, rate: 4_000),
      Plan.new(name: "upload", title: "chunked POST of 64 KiB", load: {mix: "upload"}),
      Plan.new(name: "download", title: "answer of 1 MiB", load: {mix: "download"},
        connections: 16),
      Plan.new(name: "wait", title: "100 ms of I/O in each request, 1,000 connections, 1,000 " \
        "requests at once", connections: 1_000,
        load: {mix: "wait", bursts: 3, patience: 6}),
      Plan.new(name: "cpu", title: "1 ms of CPU in each request", load: {mix: "cpu"},
        connections: 16),
      Plan.new(name: "mixed", title: "14 hello, 4 JSON, 1 chunked, 1 that waits 10 ms",
        load: {mix: "hello:14,json:4,upload:1,nap:1"}, rate: 1_000),
      Plan.new(name: "cold", title: "hello, a connection for each request", load: {cold: 1})
    ].to_h { |plan| [plan.name, plan] }.merge(H2loadPlans::ALL).freeze
  end
end
