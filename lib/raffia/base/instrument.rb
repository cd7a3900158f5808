# frozen_string_literal: true

require_relative "clock"
require_relative "ractor_local"

module Raffia
  # Publishes events to subscribers: logs, metrics, the lab, users.
  #
  #   subscription = Raffia.instrument.subscribe(:pool_submit) { |event| p event.data }
  #   subscription.cancel
  #
  # Emitting costs one hash lookup when nothing has subscribed: costly data is given as a block,
  # which does not run then. Subscribers run in the thread or fiber that emits, one after the other,
  # so they must be quick and must not wait.
  class Instrument
    # An event as subscribers get it.
    #
    # @!attribute [r] name
    #   @return [Symbol]
    # @!attribute [r] at
    #   @return [Float] seconds of {Clock}
    # @!attribute [r] data
    #   @return [Hash]
    Event = Data.define(:name, :at, :data)

    # The registration that {Instrument#subscribe} returns.
    class Subscription
      def initialize(instrument, names, block)
        @instrument = instrument
        @names = names
        @block = block
      end

      attr_reader :names, :block

      # Ends the subscription; idempotent.
      # @return [void]
      def cancel = @instrument.send(:remove, self)
    end

    KEY = :raffia_instrument
    private_constant :KEY

    # @return [Instrument] of the running Ractor
    def self.current = RactorLocal.fetch(KEY) { new }

    def initialize
      @lock = Mutex.new
      @subscriptions = {}.freeze # replaced as a whole, so emitters read it without the lock
    end

    # @param names [Array<Symbol>] the events
    # @yieldparam event [Event]
    # @return [Subscription]
    def subscribe(*names, &block)
      if names.empty? || block.nil?
        raise ArgumentError, "subscribe needs the names of events and a block"
      end

      subscription = Subscription.new(self, names.freeze, block)
      change { |all| names.each { |name| all[name] = [*all[name], subscription].freeze } }
      subscription
    end

    # @return [Boolean] whether the event has a subscriber
    def listening?(name) = @subscriptions.key?(name)

    # Calls the subscribers. An error in one is reported, and does not reach the emitting code.
    # @param data [Hash, nil] or a block that makes it
    # @return [void]
    def emit(name, data = nil)
      subscribers = @subscriptions[name] or return
      event = Event.new(name:, at: Clock.now, data: data || (block_given? ? yield : {}))
      subscribers.each { |subscription| deliver(subscription, event) }
      nil
    end

    # Emits an event after the block, with the `seconds` that it took and the `error` that it
    # raised, if any.
    # @return [Object] the block's value
    def measure(name, data = {})
      return yield unless listening?(name)

      start = Clock.now
      begin
        yield
      rescue Exception => error # standard:disable Lint/RescueException
        raise
      ensure
        emit(name, data.merge(seconds: Clock.now - start, error: error))
      end
    end

    private

    def deliver(subscription, event)
      subscription.block.call(event)
    rescue => error
      warn "raffia: a subscriber of #{event.name} failed: #{error.full_message(highlight: false)}"
    end

    def remove(subscription)
      change do |all|
        subscription.names.each do |name|
          left = (all[name] || []) - [subscription]
          left.empty? ? all.delete(name) : all[name] = left.freeze
        end
      end
      nil
    end

    def change
      @lock.synchronize { @subscriptions = @subscriptions.dup.tap { |all| yield all }.freeze }
    end
  end

  # @return [Instrument] of the running Ractor
  def self.instrument = Instrument.current

  Instrument.current # in the main Ractor now, before threads could race for it
end
