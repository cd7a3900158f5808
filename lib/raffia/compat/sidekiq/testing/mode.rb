# frozen_string_literal: true

require_relative "../../../jobs/config"
require_relative "../chain"
require_relative "fake_store"

module Sidekiq
  module Testing
    # Replaces the program's store by that of a mode, and restores it.
    #
    # @api private
    class Mode
      attr_reader :fake_store
      # Middleware around jobs that tests run.
      attr_reader :chain

      def initialize
        @fake_store = FakeStore.new
        @chain = Middleware::Chain.new(Sidekiq.default_configuration)
        @stores = {fake: @fake_store, inline: InlineStore.new}
      end

      def current
        @stores.key(setup.fiber_client ? setup.fiber_client.store : setup.given) || :disable
      end

      # Runs the block in this mode; without a block sets it for the whole process.
      def to(name, &)
        return for_all(@stores[name]) unless block_given?

        store = @stores[name] || real
        setup.with_client(Raffia::Jobs::Client.new(store, setup.client_middleware), &)
      end

      # The program's store, in any mode.
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
