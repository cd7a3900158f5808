# frozen_string_literal: true

require_relative "drivers"

module EngineBench
  # What is compared.
  #
  # @!attribute gem
  #   @return [String, nil] the gem that must be there
  # @!attribute env
  #   @return [Hash] how its process is started
  # @!attribute share
  #   @return [Float] the part of a workload's operations that it does: what is slow need not take minutes
  # @!attribute without
  #   @return [Hash{String => String}] workloads that it is not asked to do, and why
  # @!attribute open
  #   @return [Proc] makes the driver; it fails when the target is not really what it is called (a silent fall-back, say)
  Target = Data.define(:name, :gem, :env, :share, :without, :open) do
    def initialize(name:, open:, gem: nil, env: {}, share: 1.0, without: {}) = super

    def ours? = name.start_with?("raffia")

    # @return [Boolean] whether it is measured for comparison, and is none of the Ruby targets that ours should be ahead of
    def limit? = name == "limit"

    def rival? = !ours? && !limit?
  end

  # All targets, each with what is needed to start it. Gems are required in the process of the target only.
  module Targets
    module_function

    def expect(wanted, found)
      raise LoadError, "asked for #{wanted}, got #{found}" unless wanted == found
    end

    # With a pool for calls that block, like Raffia.run.
    def raffia(backend)
      Target.new(name: "raffia-#{backend}", open: -> {
        require "raffia"
        pool = nil
        offload = ->(&call) { (pool ||= Fiber.blocking { Raffia::Pool::Offload.new }).call(&call) }
        scheduler = Raffia::Scheduler.new(backend: backend, offload: offload)
        expect(backend, scheduler.backend)
        Fibers.new(scheduler)
      })
    end

    def async(selector)
      Target.new(name: "async-#{selector.downcase}", gem: "async", env: {"IO_EVENT_SELECTOR" => selector}, open: -> {
        require "async"
        expect("IO::Event::Selector::#{selector}", IO::Event::Selector.default.name)
        Fibers.new(Async::Scheduler.new)
      })
    end

    def carbon
      Target.new(name: "carbon_fiber", gem: "carbon_fiber", open: -> {
        require "carbon_fiber"
        expect(true, CarbonFiber::Native.available?)
        Fibers.new(CarbonFiber::Scheduler.new)
      })
    end

    def itsi
      Target.new(name: "itsi", gem: "itsi-scheduler", open: -> {
        require "itsi/scheduler"
        Fibers.new(Itsi::Scheduler.new)
      })
    end

    # It takes the fastest back end that works, io_uring first.
    def evt
      Target.new(name: "evt", gem: "evt", open: -> {
        require "evt"
        Fibers.new(Evt::Scheduler.new)
      })
    end

    def threads
      Target.new(name: "threads", share: 0.1, without: {"echo_8192" => "it takes half a minute to start 8,192 threads"},
        open: -> { Threads.new })
    end

    # C, see limit.rb
    def limit = Target.new(name: "limit", open: -> { raise LoadError, "the limit is not a Ruby" })

    ALL = [raffia(:uring), raffia(:epoll), raffia(:poll), raffia(:select), async("URing"), async("EPoll"), carbon, itsi, evt, threads, limit]
      .to_h { |target| [target.name, target] }.freeze
    # The back end in plain Ruby is there where nothing else is, and is measured on demand only.
    USUAL = ALL.values.reject { |target| target.name == "raffia-select" }.freeze
  end
end
