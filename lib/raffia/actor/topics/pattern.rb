# frozen_string_literal: true

module Raffia
  class Actor
    class Topics
      # Subscribers of one pattern. `*` matches one word of a topic, `**` one or more, and `?` a
      # character.
      class Pattern
        WILDCARDS = {"**" => ".+", "*" => "[^.]+", "?" => "[^.]"}.freeze
        # Words between dots.
        TOPIC = /\A[^.\s]+(\.[^.\s]+)*\z/
        private_constant :WILDCARDS, :TOPIC

        def self.check(name)
          name = name.name if name.is_a?(Symbol)
          return name if name.is_a?(String) && TOPIC.match?(name)

          raise ConfigError, "#{name.inspect} is no topic: give words with dots between them, " \
            "such as orders.new"
        end

        attr_reader :text

        def initialize(text)
          @text = text
          @regexp = compile if text.match?(/[*?]/)
          @lock = SpinLock.new
          @subscriptions = {}.compare_by_identity
          @offered = @dropped = 0
        end

        def match?(topic) = @regexp ? @regexp.match?(topic) : @text == topic

        def subscriptions = @subscriptions.keys

        # Subscribing again changes nothing. A restarted actor takes over the subscription of its
        # object before.
        def add(core, handler)
          old = @subscriptions.each_key.find { |one| one.core.equal?(core) && one.like?(handler) }
          return old.renew(handler) if old

          Subscription.new(self, core, handler).tap { |one| @subscriptions[one] = true }
        end

        def remove(subscription)
          @subscriptions.delete(subscription)
          @subscriptions
        end

        def offered = @lock.hold { @offered += 1 }

        def dropped = @lock.hold { @dropped += 1 }

        def stats
          @lock.hold do
            {subscribers: @subscriptions.size, delivered: @offered - @dropped, dropped: @dropped}
          end
        end

        private

        def compile
          parts = @text.scan(/\*\*|[*?]|[^*?]+/)
            .map { |part| WILDCARDS[part] || Regexp.escape(part) }
          Regexp.new("\\A#{parts.join}\\z").freeze
        end
      end
    end
  end
end
