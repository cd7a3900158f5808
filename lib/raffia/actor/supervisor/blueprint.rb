# frozen_string_literal: true

module Raffia
  class Supervisor
    # What a supervisor's object is made of. It keeps the children while one object follows another,
    # so that their refs stay.
    #
    # @api private
    class Blueprint < Actor::ObjectFactory
      # @return [Plan]
      attr_reader :plan

      def initialize(actor_class, plan)
        super(actor_class, [self], {}, nil)
        @plan = plan
      end

      # @param core [ActorCore] the supervisor's
      # @return [Array<Child>] the first time, or at the end of the object before, none of them runs
      def children(core) = @children ||= @plan.specs.map { |spec| Child.new(spec, core) }

      def discard(reason) = @children&.reverse_each { |child| child.die(reason) }
    end
  end
end
