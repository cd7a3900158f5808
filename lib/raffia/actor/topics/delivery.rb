# frozen_string_literal: true

module Raffia
  class Actor
    class Topics
      # A published message in the mailbox of one subscriber. Nobody waits for it; it is its own
      # reply, so that what becomes of it is counted.
      class Delivery < Message
        def initialize(subscription, topic, arguments, keywords)
          handler = subscription.handler
          super(subscription.core, handler.is_a?(Symbol) ? handler : :delivery, [topic, *arguments],
            keywords, nil, self, nil, nil)
          @subscription = subscription
        end

        def dropped? = !!@dropped

        # Not worked on any more.
        def settled? = @subscription.cancelled?

        def settle(_value = nil) = true

        # Not taken, or not worked on; or it was, and failed.
        def fail(error)
          unless error.is_a?(Full) || error.is_a?(ActorDied)
            Actor.log_error("#{inspect} failed", error)
            return true
          end
          drop
        end

        # Not taken, and so counted, once.
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
