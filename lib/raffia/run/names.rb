# frozen_string_literal: true

begin
  require "objspace" # now: who looks may be in a trap handler, which cannot require
rescue LoadError
  nil # a Ruby without it has no names for fibers
end

module Raffia
  # Which fiber is which task's. Neither knows the other from outside, so that tasks cost nothing
  # more while nobody looks: whoever looks asks the collector what each fiber refers to, which takes
  # some 10 us for a fiber. (Going through all objects would find nothing once the program has made
  # a Ractor: Ruby shows shareable ones only from then on.)
  #
  # @api private
  class Names
    # @return [Array<Object>] what an object refers to; nothing where Ruby does not show it, as in
    #   all Ractors but the main one
    def self.referred(object)
      if ObjectSpace.respond_to?(:reachable_objects_from)
        ObjectSpace.reachable_objects_from(object) || []
      else
        []
      end
    rescue ::Ractor::Error
      []
    end

    # @param fibers [Array<Fiber>]
    def initialize(fibers)
      @tasks = {}.compare_by_identity
      fibers.each { |fiber| name(fiber) }
    end

    # @param parked [Scheduler::Parked]
    # @return [Task, nil] the one that it runs
    def task(parked) = @tasks[parked.owner] || @tasks[parked.fiber]

    # @param task [Task]
    # @return [Fiber, nil] the one that runs it
    def fiber(task) = @tasks.key(task)

    # @param parked [Scheduler::Parked]
    # @return [Task, nil] the one whose end it waits for
    def joined(parked)
      @joined ||= @tasks.values.uniq.each_with_object({}.compare_by_identity) do |task, index|
        task.joiners.each { |waiter| index[waiter] = task }
      end
      @joined[parked.subject]
    end

    private

    def name(fiber)
      task = strands(fiber).find { |strand| strand.fiber.equal?(fiber) && Task === strand.root }
        &.root
      @tasks[fiber] = task if task
    end

    # They are on its stack, or in its storage. What is found there may be anything, so it is not
    # asked.
    def strands(fiber)
      found = Names.referred(fiber)
      [*found, *found.grep(Hash).flat_map(&:values)].grep(CancellationStack)
    end
  end
end
