# frozen_string_literal: true

module Raffia
  class Actor
    class << self
      # Tells all who have subscribed to the topic. Each gets it as a message in its mailbox: it
      # waits where a mailbox is full and lets its senders wait, and else for nobody.
      #
      #   Raffia::Actor.publish("orders.new", order)
      #
      # @param topic [String, Symbol] words, with dots between them
      # @param data [Array] for the subscribers' methods or blocks, after the topic
      # @return [Integer] how many took it
      # @raise [ConfigError]
      def publish(topic, *data, **keywords)
        topic = Topics::Channel.check(topic)
        keywords = nil if keywords.empty?
        Topics.current.publish(topic, data, keywords) +
          (Remote::Node.current.uplink&.ask(nil, :publish, topic, data, keywords) || 0)
      end

      # @return [Hash{String => Hash}] for each pattern that has subscribers: how many
      #   (subscribers:), and how many messages they took (delivered:) and could not take (dropped:)
      def topics = Topics.current.stats
    end

    # @!group Topics

    private

    # Has a method of this actor's called, or the block run here, with the topic and what is
    # published to it, until the actor ends or {unsubscribe}s. What `on_start` subscribes to stays
    # while a supervisor begins the actor again.
    #
    #   subscribe("orders.*", :on_order)                 # orders.new, not orders.new.paid
    #   subscribe("orders.**") { |topic, order| ... }    # both
    #
    # @param pattern [String, Symbol] a topic, of which `*` stands for any word, `**` for any words,
    #   and `?` for any character
    # @param handler [Symbol, nil] a public method
    # @return [void]
    # @raise [ConfigError]
    # @raise [NoMethodError]
    def subscribe(pattern, handler = nil, &block)
      unless handler.nil? ^ block.nil?
        raise ConfigError, "subscribe needs a method's name or a block"
      end
      if handler && !respond_to?(handler)
        raise NoMethodError.new("#{self.class} has no public method #{handler}", handler,
          receiver: self)
      end

      @raffia_core.subscribe(Topics::Channel.check(pattern), handler || block)
    end

    # @param pattern [String, Symbol, nil] nil: all that it has subscribed to
    # @return [void]
    def unsubscribe(pattern = nil)
      @raffia_core.unsubscribe(pattern && Topics::Channel.check(pattern))
    end

    # @!endgroup
  end
end
