# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # A child did not start: there is no supervisor, and the children before it were stopped. The
      # child's error is the `cause`.
      class StartFailed < Error
        # @return [Object] the child's id
        attr_reader :child

        def initialize(message = nil, child: nil)
          @child = child
          super(message || "the child #{child.inspect} did not start")
        end
      end
    end
  end
end
