# frozen_string_literal: true

module Raffia
  class Supervisor
    # What a supervisor's object is made of. It keeps the children while one object follows another,
    # so that their refs stay.
    #
    # @api private
    class Blueprint < Actor::Cell::Birth
      # @return [Plan]
      attr_reader :plan

      def initialize(actor_class, plan)
        super(actor_class, [self], {}, nil)
        @plan = plan
      end

      # @param cell [Cell] the supervisor's
      # @return [Array<Child>] the first time, or at the end of the object before, none of them runs
      def children(cell) = @children ||= @plan.specs.map { |spec| Child.new(spec, cell) }

      def bury(reason) = @children&.reverse_each { |child| child.bury(reason) }
    end
  end
end
