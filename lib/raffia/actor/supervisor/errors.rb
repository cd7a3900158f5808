# frozen_string_literal: true

module Raffia
  class Supervisor
    # A child did not start, so those before it were stopped again, and there is no supervisor. The
    # child's error is the `cause`.
    class StartFailed < Error
      # @return [Object] the child's id
      attr_reader :child

      def initialize(message = nil, child: nil)
        @child = child
        super(message || "the child #{child.inspect} did not start")
      end
    end

    # Children have ended more often than the supervisor is to stand. What the last one ended by is
    # the `cause`, if that was an error.
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
