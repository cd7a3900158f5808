# frozen_string_literal: true

require_relative "../harness/target"
require_relative "drivers"
require_relative "plan"

module EngineBench
  Target = Bench::Target

  # All targets, each with what is needed to start it. Gems are required in the process of the
  # target only.
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
        offload = ->(&call) {
          pool ||= Fiber.blocking { Raffia::Executor::Threads::BlockingPool.new }
          pool.call(&call)
        }
        scheduler = Raffia::Scheduler.new(backend: backend, offload: offload)
        expect(backend, scheduler.backend)
        Fibers.new(scheduler)
      })
    end

    def async(selector)
      Target.new(name: "async-#{selector.downcase}", gem: "async",
        env: {"IO_EVENT_SELECTOR" => selector}, open: -> { open_async(selector) })
    end

    def open_async(selector)
      require "async"
      expect("IO::Event::Selector::#{selector}", IO::Event::Selector.default.name)
      Fibers.new(Async::Scheduler.new)
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
      Target.new(name: "threads", share: Plans::ALL.transform_values { 0.1 },
        without: {"echo_8192" => "it takes half a minute to start 8,192 threads"},
        open: -> { Threads.new })
    end

    # C, see limit.rb
    def limit
      Target.new(name: "limit", reference: true,
        without: Plans::ALL.reject { |_, plan| plan.limit }.transform_values { nil },
        open: -> { raise LoadError, "the limit is not a Ruby" })
    end

    ALL = [raffia(:uring), raffia(:epoll), raffia(:poll), raffia(:select), async("URing"),
      async("EPoll"), carbon, itsi, evt, threads, limit]
      .to_h { |target| [target.name, target] }.freeze
    # The back end in plain Ruby is there where nothing else is, and is measured on demand only.
    USUAL = ALL.values.reject { |target| target.name == "raffia-select" }.freeze
  end
end
