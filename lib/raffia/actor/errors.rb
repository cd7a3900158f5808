# frozen_string_literal: true

module Raffia
  # The actor has ended, or ended before it answered. The error that ended it, if it was one, is the
  # `cause`.
  class ActorDied < Error
    # @return [Actor::Ref, nil]
    attr_reader :ref
    # @return [Object, nil] an exception, or what was handed to `stop` or `kill`
    attr_reader :reason

    def initialize(message = nil, ref: nil, reason: nil, accepted: true)
      @ref = ref
      @accepted = accepted
      @reason = reason
      super(message ||
        "#{ref&.inspect || "the actor"} has " \
          "ended#{": #{Cancel.describe(reason)}" unless reason.nil?}")
    end

    # @return [Boolean] whether it took the message, and may have done some of it: if not, it can be
    #   sent to another
    def accepted? = @accepted

    # @return [Exception, nil]
    def cause = reason.is_a?(Exception) ? reason : super
  end

  # Actors wait for each other in a cycle: for an answer, or for room in a mailbox.
  class CallCycle < Error
    # @return [Array<String>] who calls whom, the first and the last being the same
    attr_reader :calls

    def initialize(message = nil, calls: [])
      @calls = calls
      super(message || "these calls wait for each other: #{calls.join(" -> ")}. #{remedy}")
    end

    private

    def remedy
      if calls.any? { |call| call.start_with?("room for ") }
        return "Give one of these mailboxes more room (mailbox:)"
      end

      "Use async or a future for one of them, or let the last method run while its actor waits: " \
        "reentrant :#{calls.last.to_s[/\w+[?!]?\z/]}"
    end
  end
end
