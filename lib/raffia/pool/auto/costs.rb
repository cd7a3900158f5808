# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # Costs of the strategies, in seconds: orders of magnitude, measured on two cores (see
      # docs/performance.md). They decide whether little work is worth a start; the work itself
      # decides how much faster much work becomes. A worker process differs most between machines
      # and programs, so the machine's own figure replaces it as soon as there is one ({StartCost}).
      #
      # thread:: to start and end one
      # loop:: to start and end a Fiber scheduler
      # fiber:: to start and end one
      # fork:: of a small process, from the fork to its first reply, and to end it; as long as none
      #        was measured
      # fork_megabyte:: more, for each megabyte of memory
      # ractor:: to start and end one
      # turn:: of a thread or fiber with one item
      # message:: of an item on its way to and from a process or Ractor, whose bytes cost nothing
      # byte:: of one byte on that way, beside the time of its dump
      # load:: how much longer than the dump the loading takes
      # slow_ractor:: how much longer Ruby code takes in a Ractor without YJIT
      Costs = Data.define(:thread, :loop, :fiber, :fork, :fork_megabyte, :ractor, :turn, :message,
        :byte, :load, :slow_ractor) do
        def initialize(thread: 100e-6, loop: 500e-6, fiber: 15e-6, fork: 15e-3,
          fork_megabyte: 40e-6, ractor: 250e-6, turn: 1e-6,
          message: 1.5e-6, byte: 1.5e-9, load: 1.5, slow_ractor: 2.6)
          super
        end
      end
    end
  end
end
