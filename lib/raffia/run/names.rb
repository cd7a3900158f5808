# frozen_string_literal: true

module Raffia
  # Which fiber is which task's. Neither knows the other from outside, so that tasks cost nothing more while nobody looks: whoever looks goes
  # through all objects, which takes some milliseconds.
  #
  # @api private
  class Names
    def initialize
      @tasks = {}.compare_by_identity
      ObjectSpace.each_object(Strand) { |strand| @tasks[strand.fiber] = strand.root if strand.root.is_a?(Task) }
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
  end
end
