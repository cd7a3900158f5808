# frozen_string_literal: true

require "socket"
require "timeout"
require_relative "../harness/gems"
require_relative "../harness/run"

module EngineBench
  # A scheduler may be fast because it leaves something out. These are questions that every program
  # relies on the answers to; a target that answers one differently has a note beside its figures.
  module Semantics
    CHECKS = {
      "a closed peer is readable at once: wait_readable(0)" => -> {
        here, there = UNIXSocket.pair
        there.close
        !!here.wait_readable(0)
      },
      "a wait ends at its limit: wait_readable(0.01) is nil" => -> {
        reads, _writes = IO.pipe
        reads.wait_readable(0.01).nil?
      },
      "a pop ends at its limit: pop(timeout: 0.01) is " \
        "nil" => -> { Thread::Queue.new.pop(timeout: 0.01).nil? },
      "Timeout.timeout breaks a read off" => -> {
        reads, _writes = IO.pipe
        begin
          Timeout.timeout(0.01) { reads.read(1) }
        rescue Timeout::Error
          true
        end
      },
      "Fiber.schedule starts its block at once" => -> {
        started = false
        Fiber.schedule { started = true }
        started
      },
      "a thread's push wakes a fiber up within a second" => -> {
        queue = Thread::Queue.new
        Thread.new { sleep(0.05) && queue << Process.clock_gettime(Process::CLOCK_MONOTONIC) }
        pushed = queue.pop
        Process.clock_gettime(Process::CLOCK_MONOTONIC) - pushed < 1
      },
      "two fibers may wait for one descriptor" => -> {
        reads, writes = IO.pipe
        woken = Thread::Queue.new
        2.times { Fiber.schedule { woken << reads.wait_readable(5) } }
        writes << "."
        2.times.all? { woken.pop(timeout: 1) }
      },
      "closing a descriptor wakes who waits for it, with IOError" => -> {
        reads, _writes = IO.pipe
        outcome = Thread::Queue.new
        Fiber.schedule do
          outcome << begin
            reads.read(1)
          rescue
            $!
          end
        end # standard:disable Style/RescueModifier
        sleep(0.01)
        reads.close
        outcome.pop(timeout: 1).is_a?(IOError)
      }
    }.freeze

    module_function

    # @return [Hash{String => Array<String>}] target => what it answers differently
    def all(targets, options, gems)
      targets.reject { |target| target.reference || target.name == "threads" }
        .to_h { |target| [target.name, of(target, options, gems)] }
    end

    # Each in a process of its own: an answer may be that it never comes.
    def of(target, options, gems)
      CHECKS.keys.each_with_index.reject { |_, index| ask(target, index, options, gems) }
        .map(&:first)
    end

    def ask(target, index, options, gems)
      command = [RbConfig.ruby, *options.flags, "-Ilib", __FILE__, target.name, index.to_s]
      pid = Process.spawn({**gems.env, **target.env}, *command, chdir: Bench::Run::ROOT,
        out: File::NULL, err: File::NULL)
      ended = Process.detach(pid)
      ended.join(3) || Process.kill(:KILL, pid)
      ended.value.success?
    end

    # In that process.
    def answer(target, index)
      require_relative "targets"
      right = false
      driver = Targets::ALL.fetch(target).open.call
      driver.run { right = CHECKS.values.fetch(index).call }
      exit!(right == true)
    end
  end
end

EngineBench::Semantics.answer(ARGV.fetch(0), Integer(ARGV.fetch(1))) if $PROGRAM_NAME == __FILE__
