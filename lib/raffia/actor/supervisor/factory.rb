# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Makes a supervisor's object. It keeps the children across restarts, so that their refs stay.
      #
      # @api private
      class Factory < Actor::ObjectFactory
        attr_reader :spec

        def initialize(actor_class, spec)
          super(actor_class, [self], {}, nil)
          @spec = spec
        end

        # The children; none of them runs before the object starts.
        def children(core) = @children ||= @spec.specs.map { |spec| Child.new(spec, core) }

        def discard(reason) = @children&.reverse_each { |child| child.die(reason) }
      end
    end
  end
end
