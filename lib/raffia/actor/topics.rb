# frozen_string_literal: true

module Raffia
  class Actor
    # Publishes messages to subscribers of topics. Each gets a message of its own, so its mailbox
    # decides what happens when it is full.
    #
    # @api private
    class Topics
      def self.current = RactorLocal.fetch(:raffia_actor_topics) { new }

      def initialize
        @lock = SpinLock.new
        reset
        Fork.after_child { reset }
      end

      def subscribe(core, pattern, handler)
        first = @lock.hold do
          subscription = (@patterns[pattern] ||= Pattern.new(pattern)).add(core, handler)
          known = @cores.key?(core)
          (@cores[core] ||= {}.compare_by_identity)[subscription] = true
          !known
        end
        watch(core) if first
      end

      def unsubscribe(core, pattern = nil)
        @lock.hold do
          @cores[core]&.each_key do |one|
            remove(one) if pattern.nil? || one.pattern.text == pattern
          end
        end
      end

      def publish(topic, arguments, keywords)
        wanted = @lock.hold { subscriptions(topic) }
        wanted.count { |subscription| subscription.offer(topic, arguments, keywords) }
      end

      # Publishes also on the sides that started this one.
      def publish_everywhere(topic, arguments, keywords)
        topic = Pattern.check(topic)
        keywords = nil if keywords.empty?
        uplink = Remote::Node.current.uplink
        publish(topic, arguments, keywords) +
          (uplink&.ask(nil, :publish, topic, arguments, keywords) || 0)
      end

      def stats = @lock.hold { @patterns.transform_values(&:stats) }

      private

      def reset
        @patterns = {}
        @cores = {}.compare_by_identity
      end

      def subscriptions(topic)
        found = @patterns.each_value.select { |pattern| pattern.match?(topic) }
          .flat_map(&:subscriptions)
        outdated, current = found.partition(&:outdated?)
        outdated.each { |one| remove(one) }
        current
      end

      def remove(subscription)
        subscription.cancel
        pattern = subscription.pattern
        @patterns.delete(pattern.text) if pattern.remove(subscription).empty?
        @cores[subscription.core]&.delete(subscription)
      end

      def forget_core(core)
        unsubscribe(core)
        @lock.hold { @cores.delete(core) }
      end

      # A subscriber is observed once, however often it subscribes.
      def watch(core) = core.watch { object_ended(core) }

      # Subscriptions that the next object does not renew when it starts are over. Until then
      # messages wait in the mailbox.
      def object_ended(core)
        return forget_core(core) unless core.alive?

        @lock.hold { @cores[core]&.each_key(&:outlive) }
        watch(core)
      end
    end
  end
end

require_relative "topics/pattern"
require_relative "topics/delivery"
require_relative "topics/subscription"
