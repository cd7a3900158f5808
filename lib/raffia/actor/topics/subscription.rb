# frozen_string_literal: true

module Raffia
  class Actor
    class Topics
      # One actor and the handler of what is published to a pattern.
      class Subscription
        attr_reader :pattern
        attr_reader :core
        attr_reader :handler

        def initialize(pattern, core, handler)
          @pattern = pattern
          @core = core
          @handler = handler
          @outlived = @cancelled = false
        end

        def offer(topic, arguments, keywords)
          delivery = Delivery.new(self, topic, arguments, keywords)
          @pattern.offered
          @core.deliver(delivery, false)
          !delivery.dropped?
        rescue Full, ActorDied => error
          delivery.fail(error)
          false
        # The publisher would wait for room in a cycle. The other subscribers get the message all
        # the same.
        rescue CallCycle => error
          Actor.log_error("#{delivery.inspect} was dropped", error)
          delivery.drop
          false
        end

        # Whether it can take this handler over.
        def like?(handler)
          handler.is_a?(Symbol) ? @handler == handler : @outlived && @handler.is_a?(Proc)
        end

        def renew(handler)
          @handler = handler
          @outlived = false
          self
        end

        # The object that subscribed has ended; another one follows.
        def outlive = @outlived = true

        # Whether the successor is there and has not subscribed.
        def outdated? = @outlived && @core.status == :running

        def cancel = @cancelled = true

        def cancelled? = @cancelled
      end
    end
  end
end
