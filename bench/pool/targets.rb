# frozen_string_literal: true

require_relative "../harness/target"
require_relative "drivers"
require_relative "plan"

module PoolBench
  Target = Bench::Target

  # All targets. Rivals are those on the same kind of worker: what a fork costs is not a thread's to
  # win.
  module Targets
    # With a message for each item a million of them take minutes.
    LESS = {"tiny" => 0.02}.freeze

    # Debian's, which has Debian's joblib.
    PYTHON = File.executable?("/usr/bin/python3") ? "/usr/bin/python3" : "python3"

    module_function

    def raffia(on, without: {})
      Target.new(name: "raffia-#{on}", group: on, without:, open: -> {
        require "raffia"
        Drivers::Raffia.new(on)
      })
    end

    def parallel(group)
      Target.new(name: "parallel-#{group}", group:, gem: "parallel", share: LESS, open: -> {
        require "parallel"
        Drivers::Parallel.new(:"in_#{group}")
      })
    end

    def promises
      Target.new(name: "concurrent-ruby", group: :threads, gem: "concurrent-ruby", share: LESS,
        open: -> {
          require "concurrent"
          Drivers::Promises.new
        })
    end

    def plain(group, driver)
      Target.new(name: "plain-#{group}", group:, without: warm(nil), open: -> { driver.new })
    end

    # Pools of Python, for orientation: their language and workers differ.
    def python(name, module_name)
      trouble = -> {
        "python3 has no #{module_name} (apt-get install python3 python3-joblib)" unless
          system(PYTHON, "-c", "import #{module_name}", out: File::NULL, err: File::NULL)
      }
      Target.new(name: "python-#{name}", group: :python, reference: true, trouble:, share: LESS,
        open: -> { name })
    end

    def warm(reason) = Plans::ALL.select { |_, plan| plan.warm? }.transform_values { reason }

    ALL = [
      Target.new(name: "inline", group: :inline, reference: true, without: {"waits" => nil},
        open: -> { Drivers::Plain.new }),
      raffia(:inline, without: {"waits" => nil, **warm(nil)}), raffia(:fibers), raffia(:threads),
      raffia(:ractors), raffia(:processes),
      raffia(:auto, without: warm(nil)),
      parallel(:processes), plain(:processes, Drivers::PlainForks), parallel(:threads), promises,
      plain(:threads, Drivers::PlainThreads),
      parallel(:ractors), plain(:ractors, Drivers::PlainRactors),
      python("processes", "concurrent.futures"), python("threads", "concurrent.futures"),
      python("loky", "joblib")
    ].to_h { |target| [target.name, target] }.freeze
  end
end
