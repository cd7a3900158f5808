# frozen_string_literal: true

require_relative "../harness/target"
require_relative "../harness/programs"
require_relative "plan"

module ActorBench
  Target = Bench::Target

  # All targets. Each opens a driver of drivers/, which has a method for each workload.
  module Targets
    # With a thread each, a hundred thousand are more than a process may have.
    THREADS = {"idle" => 0.02, "ring" => 0.25, "call" => 0.2, "call_thread" => 0.4,
               "restart" => 0.2}.freeze
    RACTORS = {**THREADS, "idle" => 0.002, "ring" => 0.05}.freeze

    module_function

    def target(name, driver, **more)
      Target.new(name: name, **more, open: -> {
        require_relative "drivers/#{driver.downcase}"
        Drivers.const_get(driver)
      })
    end

    def raffia(on)
      Target.new(name: "raffia-#{on}", share: (on == :threads) ? {"idle" => 0.2} : {}, open: -> {
        require_relative "drivers/raffia"
        Drivers::Raffia.on(on)
      })
    end

    # Its figures say where we stand; its processes are those of another virtual machine.
    def elixir
      trouble = -> {
        "there is no elixir (apt-get install elixir)" unless Bench::Programs.tool?("elixir")
      }
      Target.new(name: "elixir", reference: true, trouble: trouble, share: {"restart" => 0.1},
        open: -> { :elixir })
    end

    ALL = [
      raffia(:fibers), raffia(:threads),
      target("celluloid", :Celluloid, gem: "celluloid",
        share: {**THREADS, "fan_in" => 0.2, "pool" => 0.4}),
      target("concurrent-ruby", :Concurrent, gem: "concurrent-ruby-edge",
        share: {"call" => 0.5, "idle" => 0.1, "fan_in" => 0.2, "pool" => 0.4}),
      target("plain-ractors", :Ractors, reference: true, share: RACTORS,
        without: {"restart" => nil, "pool" => nil}),
      target("plain-threads", :Threads, reference: true, share: THREADS,
        without: {"restart" => nil}),
      elixir
    ].to_h { |target| [target.name, target] }.freeze
  end
end
