# frozen_string_literal: true

begin
  require "objspace" # here, because a snapshot may be taken in a trap handler, which cannot require
rescue LoadError
  nil # a Ruby without it shows no tasks
end

module Raffia
  class Snapshot
    # Finds the tasks of fibers. Neither refers to the other publicly, so that tasks cost nothing
    # more without a snapshot: the garbage collector lists the references of each fiber, in some 10
    # us. (A walk over all objects finds nothing in a program that has made a Ractor: from then on
    # Ruby shows only shareable objects.)
    #
    # @api private
    class TaskIndex
      # Empty where Ruby does not show it, as in all Ractors but the main one.
      def self.referred(object)
        return [] unless ObjectSpace.respond_to?(:reachable_objects_from)

        ObjectSpace.reachable_objects_from(object) || []
      rescue ::Ractor::Error
        []
      end

      def initialize(fibers)
        @tasks = {}.compare_by_identity
        fibers.each { |fiber| index(fiber) }
      end

      # The task that the fiber runs.
      def task(parked) = @tasks[parked.owner] || @tasks[parked.fiber]

      def fiber(task) = @tasks.key(task)

      # The task whose end it waits for.
      def joined(parked)
        @joined ||= @tasks.values.uniq.each_with_object({}.compare_by_identity) do |task, index|
          task.joiners.each { |waiter| index[waiter] = task }
        end
        @joined[parked.subject]
      end

      private

      def index(fiber)
        stack = stacks(fiber).find { |one| one.fiber.equal?(fiber) && Task === one.root }
        @tasks[fiber] = stack.root if stack
      end

      # They are on its machine stack, or in its storage. Objects that are found there may be
      # anything, so no method of theirs is called.
      def stacks(fiber)
        found = TaskIndex.referred(fiber)
        [*found, *found.grep(Hash).flat_map(&:values)].grep(CancellationStack)
      end
    end
  end
end
