# frozen_string_literal: true

module Raffia
  class Actor
    class Topics
      # A published message in the mailbox of one subscriber. It is its own reply, so that its
      # outcome is counted: nobody waits for it.
      class Delivery < Message
        def initialize(subscription, topic, arguments, keywords)
          handler = subscription.handler
          super(subscription.core, handler.is_a?(Symbol) ? handler : :delivery, [topic, *arguments],
            keywords, nil, self, nil, nil)
          @subscription = subscription
        end

        def dropped? = !!@dropped

        def settled? = @subscription.cancelled?

        def settle(_value = nil) = true

        # It was not taken or not handled; or it was, and failed.
        def fail(error)
          unless error.is_a?(Full) || error.is_a?(ActorDied)
            Actor.log_error("#{inspect} failed", error)
            return true
          end
          drop
        end

        # Counts it once as dropped.
        def drop
          @subscription.pattern.dropped unless @dropped
          @dropped = true
        end

        def invoke(subject)
          handler = @subscription.handler
          return super if handler.is_a?(Symbol)

          subject.instance_exec(*arguments, **(keywords || {}), &handler)
        end
      end
    end
  end
end
