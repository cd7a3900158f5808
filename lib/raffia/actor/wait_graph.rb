# frozen_string_literal: true

module Raffia
  class Actor
    # Finds actors that wait for each other.
    #
    # An actor that waits for an answer does nothing else. If the asked one waits for it, directly
    # or not, both would wait forever. The messages are the edges of the graph: an actor's current
    # message knows the one whose answer it waits for ({Message#waits}), and each message knows the
    # one that waits for it ({Message#parent}). A call that waits for nothing costs nothing here.
    #
    # @api private
    module WaitGraph
      # Longer paths are cycles of others.
      LIMIT = 1_000
      private_constant :LIMIT

      # Stands for a message whose sender waits for room in a full mailbox, not for an answer.
      class MailboxWait < Message
        def initialize(message, waiter)
          super(message.core, message.name, nil, nil, nil, waiter, nil, nil)
        end

        def inspect = "room for #{super}"
      end

      module_function

      # This message and those that wait for it, the innermost first.
      def chain(message)
        chain = [message]
        chain << message while !message.unwanted? && (message = message.parent)
        chain
      end

      # The calls from this message up to one that the actor works on, nil when it works on none.
      def path_up(core, message)
        chain = chain(message.parent)
        index = chain.index { |other| other.core.equal?(core) && other.underway? } or return
        [message, *chain.take(index + 1)]
      end

      # The calls by which the asked actor waits for the one that handles `waiting`, nil when it
      # does not.
      def path(from, waiting)
        calls = []
        while (message = awaited_by(from)) && calls.size < LIMIT
          calls << message
          from = message.core
          return calls if from.equal?(waiting.core)
        end
      end

      # Raises CallCycle when a message cannot be answered while its sender waits for that. A
      # message at the end of the cycle may run nested: then there is none.
      def check(core, waiting, message)
        calls = path(core, waiting) or return
        return if message.unwanted? || calls.last.core.admit(calls.last)

        refuse([waiting, message, *calls])
      end

      # Whether the actor waits for the sender of the message. Raises CallCycle when the method may
      # not run meanwhile.
      def nested?(core, message)
        calls = path_up(core, message) or return false
        refuse(calls.reverse) unless core.settings.reentrant.include?(message.name)

        true
      end

      def awaited_by(core)
        current = core.current
        current.waits if current&.underway?
      end

      def refuse(calls) = raise(CallCycle.new(calls: calls.map(&:inspect)))
    end
  end
end
