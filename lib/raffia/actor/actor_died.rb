# frozen_string_literal: true

# See {Raffia::Actor::ActorDied}. Named here first: messages and backtraces show the public name.
Raffia::ActorDied = Class.new(Raffia::Error)
Raffia::Actor::ActorDied = Raffia::ActorDied

module Raffia
  class Actor
    # The actor has ended, or ended before it answered. The error that ended it, if it was one, is
    # the `cause`.
    class ActorDied < Error
      # @return [Actor::Ref, nil]
      attr_reader :ref
      # @return [Object, nil] an exception, or the argument of `stop` or `kill`
      attr_reader :reason

      def initialize(message = nil, ref: nil, reason: nil, accepted: true)
        @ref = ref
        @accepted = accepted
        @reason = reason
        super(message ||
          "#{ref&.inspect || "the actor"} has " \
            "ended#{": #{Cancel.describe(reason)}" unless reason.nil?}")
      end

      # @return [Boolean] whether it took the message, and may have done some of it: if not, it can
      #   be sent to another
      def accepted? = @accepted

      # @return [Exception, nil]
      def cause = reason.is_a?(Exception) ? reason : super
    end
  end
end
