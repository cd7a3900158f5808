# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Children ended more often than the supervisor allows. The error of the last one, if it was
      # one, is the `cause`.
      class GaveUp < Error
        # @return [Object] the last child's id
        attr_reader :child
        # @return [Object] what it ended by
        attr_reader :reason

        def initialize(message = nil, child: nil, reason: nil)
          @child = child
          @reason = reason
          super(message ||
            "children ended too often, at last #{child.inspect}: #{Cancel.describe(reason)}")
        end

        # @return [Exception, nil]
        def cause = reason.is_a?(Exception) ? reason : super
      end
    end
  end
end
