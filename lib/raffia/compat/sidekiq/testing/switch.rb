# frozen_string_literal: true

require_relative "../../../base/config"
require_relative "../chain"
require_relative "stores"

module Sidekiq
  module Testing
    # Puts stores in the place of the program's, and back. In one object, as a module should have no
    # state of its own.
    #
    # @api private
    class Switch
      # @return [Kept] where jobs are kept in fake mode, also while it is not on
      attr_reader :kept
      # @return [Middleware::Chain] around jobs that tests do
      attr_reader :chain

      def initialize
        @kept = Kept.new
        @chain = Middleware::Chain.new(Sidekiq.default_configuration)
        @stores = {fake: @kept, inline: AtOnce.new}
      end

      # @return [Symbol]
      def current
        @stores.key(setup.fiber_client ? setup.fiber_client.store : setup.given) || :disable
      end

      # @param name [Symbol]
      # @yield without a block it is so for the whole process
      # @return [Object] the block's value
      def to(name, &)
        return for_all(@stores[name]) unless block_given?

        store = @stores[name] || real
        setup.with_client(Raffia::Jobs::Client.new(store, setup.client_middleware), &)
      end

      # @return [Raffia::Jobs::Store] the program's, whatever the mode
      def real
        if @stores.value?(setup.given)
          return @real ||= Raffia::Jobs::Store.open(Raffia.config.store || setup.default)
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
