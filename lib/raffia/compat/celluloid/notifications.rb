# frozen_string_literal: true

module Celluloid
  # Publishes and subscribes by topics.
  module Notifications
    def self.notifier
      Celluloid[:notifications_fanout] ||
        raise(DeadActorError, "notifications fanout actor not running")
    end

    def publish(topic, *arguments)
      Notifications.notifier.publish(topic, *arguments)
    rescue DeadActorError
      nil # the system is ending
    end
    module_function :publish

    def subscribe(pattern, method)
      Notifications.notifier.subscribe(Celluloid.current_actor, pattern, method)
    end

    def unsubscribe(*subscription) = Notifications.notifier.unsubscribe(*subscription)

    class Fanout
      include Celluloid

      trap_exit :prune

      def initialize
        @subscribers = []
      end

      def subscribe(actor, pattern, method)
        Subscriber.new(actor, pattern, method).tap do |subscriber|
          @subscribers += [subscriber]
          link(actor)
        end
      end

      def unsubscribe(subscriber)
        @subscribers = @subscribers.reject { |other| other.matches?(subscriber) }
      end

      def publish(topic, *arguments)
        listeners_for(topic).each { |subscriber| subscriber.publish(topic, *arguments) }
      end

      def listeners_for(topic)
        @subscribers.select { |subscriber| subscriber.subscribed_to?(topic) }
      end

      def listening?(topic) = listeners_for(topic).any?

      def prune(actor, _reason = nil)
        @subscribers = @subscribers.reject { |subscriber| subscriber.actor.eql?(actor) }
      end
    end

    class Subscriber
      attr_accessor :actor, :pattern, :method

      def initialize(actor, pattern, method)
        @actor = actor
        @pattern = pattern.is_a?(Symbol) ? pattern.to_s : pattern
        @method = method
      end

      def publish(topic, *arguments)
        actor.async(method, topic, *arguments)
      rescue ::Raffia::Full
        Internals::Logger.debug("Discarded notification (mailbox is full): #{topic}")
      end

      def subscribed_to?(topic) = topic.nil? || pattern.nil? || pattern === topic.to_s

      def matches?(other) = other.equal?(self) || (!pattern.nil? && pattern === other)
    end
  end

  def self.publish(...) = Notifications.publish(...)
end
