# frozen_string_literal: true

# See {Raffia::Actor::CallCycle}.
Raffia::CallCycle = Class.new(Raffia::Error)
Raffia::Actor::CallCycle = Raffia::CallCycle

module Raffia
  class Actor
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

        "Use async or a future for one of them, or let the last method run while its actor " \
          "waits: reentrant :#{calls.last.to_s[/\w+[?!]?\z/]}"
      end
    end
  end
end
