# frozen_string_literal: true

require_relative "snapshot/report"
require_relative "snapshot/task_index"

module Raffia
  # The state of all schedulers of the Ractor at one moment (see {Raffia.snapshot}).
  class Snapshot
    # The state of one scheduler.
    #
    # @!attribute [r] scheduler
    #   @return [Scheduler]
    # @!attribute [r] thread
    #   @return [Thread]
    # @!attribute [r] stats
    #   @return [Hash] as {Scheduler#stats}
    # @!attribute [r] backtrace
    #   @return [Array<String>] of its thread: of the loop, when it sleeps
    # @!attribute [r] parked
    #   @return [Array<Scheduler::Parked>]
    Loop = Data.define(:scheduler, :thread, :stats, :backtrace, :parked)

    # @return [Array<Loop>]
    attr_reader :loops
    # @return [Time]
    attr_reader :at

    # @api private
    def initialize(schedulers, frames: nil, parked: nil)
      @at = Time.now
      @loops = schedulers.map { |scheduler|
        Loop.new(scheduler: scheduler, thread: scheduler.thread, stats: scheduler.stats,
          backtrace: scheduler.thread&.backtrace.to_a,
          parked: parked || scheduler.parked(frames: frames))
      }.freeze
      fibers = @loops.flat_map(&:parked).flat_map { |one| [one.fiber, one.owner] }.uniq
      @tasks = TaskIndex.new(fibers)
      number_fibers
    end

    # @param parked [Scheduler::Parked]
    # @return [Task, nil] of the fiber
    def task(parked) = @tasks.task(parked)

    # @param parked [Scheduler::Parked]
    # @return [Integer] the fiber's name in {#to_s} and {#to_h}
    def number(parked) = @numbers[parked.fiber]

    # @param parked [Scheduler::Parked]
    # @return [String] what it waits for, and which fiber holds that
    def what(parked)
      return waiter(parked) if parked.subject.is_a?(Waiter)

      holder = @numbers[parked.holder] if parked.holder
      "#{parked.what}#{", held by ##{holder}" if holder}"
    end

    # @return [Hash] plain data, for JSON
    def to_h
      {pid: ::Process.pid, at: @at.utc.strftime("%FT%T.%LZ"),
       loops: @loops.map { |one| loop_to_h(one) }}
    end

    # @param frames [Integer] of each backtrace
    # @return [String] for people
    def to_s(frames: Report::FRAMES, color: false)
      Report.new(self, frames: frames, color: color).to_s
    end

    # @return [String]
    def inspect
      "#<#{self.class} loops=#{@loops.size} parked=#{@loops.sum { |one| one.parked.size }}>"
    end

    private

    def waiter(parked)
      task = @tasks.joined(parked) or return "another task or thread"
      number = @numbers[@tasks.fiber(task)]
      "the end of #{number ? "##{number}" : task.inspect}"
    end

    def number_fibers
      @numbers = {}.compare_by_identity
      @loops.each do |one|
        one.parked.each { |parked| @numbers[parked.fiber] ||= @numbers.size + 1 }
      end
      @loops.each do |one|
        one.parked.each { |parked| @numbers[parked.owner] ||= @numbers[parked.fiber] }
      end
    end

    def loop_to_h(one)
      {thread: one.thread.inspect, stats: one.stats, backtrace: one.backtrace,
       parked: one.parked.map { |parked| parked_to_h(parked) }}
    end

    def parked_to_h(parked)
      {number: number(parked), task: task(parked)&.inspect, reason: parked.reason,
       what: what(parked), fd: parked.fd, age: parked.age,
       limit: parked.limit, holder: parked.holder && @numbers[parked.holder],
       backtrace: parked.backtrace}
    end
  end
end
