# frozen_string_literal: true

require_relative "location"
require_relative "wait_graph/wait"

module Raffia
  module Simulation
    # The waits between members of a world, at one moment: threads, and fibers of their schedulers.
    #
    # @api private
    class WaitGraph
      # Files of Raffia's waits, but for those that serve all of them.
      TASKS = ::File.expand_path("../task", __dir__)
      INTERNAL = %w[waiter select spin_lock cancellation_stack cancel_scope].freeze
      private_constant :TASKS, :INTERNAL

      attr_reader :waits

      def initialize(world)
        @world = world
        @waits = world.threads.select(&:alive?).flat_map { |thread| waits_of(thread) }
        @owners = owners
        @waits.each { |wait| connect(wait) }
      end

      # The shortest chain of waits that ends where it begins; empty when there is none.
      def cycle = @waits.filter_map { |wait| path_back(wait) }.min_by(&:size) || []

      # Waits of threads that must end before the run does.
      def required = @waits.reject { |wait| wait.thread.daemon }

      def of(thread) = @waits.select { |wait| wait.thread.equal?(thread) }

      private

      def waits_of(thread)
        wait = thread.wait or return []
        return fibers_of(thread) if wait.reason == :poll && thread.scheduler

        [Wait.new(thread.label, thread, thread.fiber, wait.reason, wait.subject, wait.limit)]
      end

      def fibers_of(thread)
        scheduler = thread.scheduler
        scheduler.parked.map do |parked|
          name = scheduler.name(parked.fiber) || thread.label
          Wait.new(name, thread, parked.fiber, parked.reason, parked.subject, parked.limit)
        end
      end

      # Fiber => its wait. A thread may wait in another fiber than its first one.
      def owners
        found = @waits.to_h { |wait| [wait.fiber, wait] }.compare_by_identity
        @waits.each { |wait| found[wait.thread.main_fiber] ||= wait }
        found
      end

      def connect(wait)
        subject = Raffia::Engine.visible([wait.subject]).first
        wait.text = case subject
        when ::Thread::Mutex then mutex(wait, subject)
        when SimulatedThread then join(wait, subject)
        when ::Thread::Queue then queue(subject)
        when nil then unnamed(wait)
        when Waiter then task(wait)
        else (wait.reason == :io) ? "a descriptor (#{subject.class})" : subject.class.to_s
        end
      end

      def mutex(wait, mutex)
        holder = Raffia::Engine.holder(mutex, fibers)
        owner = @owners[holder]
        wait.targets = [*owner]
        return "a Mutex" unless holder
        return "a Mutex that it holds itself, in another fiber" if owner.equal?(wait)

        "a Mutex that #{owner&.name || "a fiber that has not ended"} holds"
      end

      def join(wait, thread)
        wait.targets = of(thread)
        "the end of thread #{thread.label}"
      end

      def queue(queue)
        return "an item of a Queue, which is empty" if queue.empty?

        "a place in a #{queue.class}, which is full (#{queue.size})"
      end

      def unnamed(wait)
        return "a lock inside of Ruby" if wait.reason == :block
        return "a descriptor" if wait.reason == :io
        return "all others (settle)" if wait.reason == :settle

        condition = @world.conditions.awaited(wait.fiber)
        return "a ConditionVariable#{@world.conditions.loss(condition)}" if condition

        wait.limit ? "#{wait.limit} s to pass" : "a wake-up (a sleep without a limit)"
      end

      # The task of another fiber, if it waits for one to end; else a channel, a semaphore ...
      def task(wait)
        task = tasks.joined(wait)
        fiber = task && tasks.fiber(task)
        wait.targets = [*@owners[fiber]]
        return "a #{kind(wait.fiber)} of Raffia" unless fiber

        "the end of the task of #{@owners[fiber]&.name || "another fiber"}"
      end

      # Such as "semaphore": the file of Raffia in which it waits.
      def kind(fiber)
        files = fiber.backtrace_locations.to_a.map(&:path)
          .filter_map { |path| ::File.basename(path, ".rb") if path.start_with?(TASKS) }
        ((files - INTERNAL).first || files.last || "wait").tr("_", " ")
      end

      def tasks = @tasks ||= Snapshot::TaskIndex.new(@waits.map(&:fiber))

      def fibers = @owners.keys

      # Breadth first.
      def path_back(start)
        paths = [[start]]
        known = {start => true}.compare_by_identity
        while (path = paths.shift)
          path.last.targets.each do |target|
            return path if target.equal?(start)
            next if known[target]

            known[target] = true
            paths << [*path, target]
          end
        end
      end
    end
  end
end
