# frozen_string_literal: true

require_relative "../../../jobs/config"
require_relative "../chain"
require_relative "fake_store"

module Sidekiq
  module Testing
    # Replaces the program's store by that of a mode, and restores it. One object, because modules
    # have no state.
    #
    # @api private
    class Mode
      # @return [FakeStore] in whatever mode
      attr_reader :fake_store
      # @return [Middleware::Chain] around jobs that tests run
      attr_reader :chain

      def initialize
        @fake_store = FakeStore.new
        @chain = Middleware::Chain.new(Sidekiq.default_configuration)
        @stores = {fake: @fake_store, inline: InlineStore.new}
      end

      # @return [Symbol]
      def current
        @stores.key(setup.fiber_client ? setup.fiber_client.store : setup.given) || :disable
      end

      # @param name [Symbol]
      # @yield with this mode; without a block it is set for the whole process
      # @return [Object] the block's value
      def to(name, &)
        return for_all(@stores[name]) unless block_given?

        store = @stores[name] || real
        setup.with_client(Raffia::Jobs::Client.new(store, setup.client_middleware), &)
      end

      # @return [Raffia::Jobs::Store] the program's, in whatever mode
      def real
        if @stores.value?(setup.given)
          url = Raffia::Jobs::Config.load.store || setup.default
          return @real ||= Raffia::Jobs::Store.open(url)
        end

        setup.with_client(nil) { setup.store }
      end

      private

      def for_all(store)
        former = setup.given
        @real = former unless @stores.value?(former)
        setup.given = store || @real
        nil
      end

      def setup = Raffia::Jobs::Setup.current
    end
  end
end
