# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # What the strategies cost, in seconds: orders of magnitude, measured on two cores (see
      # docs/performance.md). They decide whether little work is worth a start; how much faster much
      # work becomes depends on the work. What a worker process costs differs most between machines
      # and programs, so the machine's own figure is used as soon as there is one ({StartCost}).
      #
      # @!attribute [r] thread
      #   @return [Float] to start and end one
      # @!attribute [r] loop
      #   @return [Float] to start and end a Fiber scheduler
      # @!attribute [r] fiber
      #   @return [Float] to start and end one
      # @!attribute [r] fork
      #   @return [Float] of a small process, from the fork to its first reply, and to end it; as
      #   long as none was measured
      # @!attribute [r] fork_megabyte
      #   @return [Float] more, for each megabyte of memory
      # @!attribute [r] ractor
      #   @return [Float] to start and end one
      # @!attribute [r] turn
      #   @return [Float] of a thread or fiber with one item
      # @!attribute [r] message
      #   @return [Float] of an item on its way to and from a process or Ractor, whose bytes cost
      #   nothing
      # @!attribute [r] byte
      #   @return [Float] of one byte on that way, beside the time of its dump
      # @!attribute [r] load
      #   @return [Float] how much longer than the dump the loading takes
      # @!attribute [r] slow_ractor
      #   @return [Float] how much longer Ruby code takes in a Ractor without YJIT
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
