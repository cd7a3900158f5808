# frozen_string_literal: true

require_relative "../../../base/config"
require_relative "../../../jobs/testing"

module Sidekiq
  module Testing
    # Puts stores in the place of the program's, and back. In one object, as a module should have no state of its own.
    #
    # @api private
    class Switch
      # @return [Raffia::Jobs::Stores::Memory] where jobs are kept in fake mode, also while it is not on
      attr_reader :kept

      def initialize
        @kept = Raffia::Jobs::Stores::Memory.new
        @stores = {fake: @kept, inline: Raffia::Jobs::Testing::Inline.new}
      end

      # @return [Symbol]
      def current = @stores.key(setup.here ? setup.here.store : setup.given) || :disable

      # @param name [Symbol]
      # @yield without a block it is so for the whole process
      # @return [Object] the block's value
      def to(name, &)
        return for_all(@stores[name]) unless block_given?

        store = @stores[name] || real
        setup.with_client(Raffia::Jobs::Client.new(store, setup.client_middleware), &)
      end

      private

      def for_all(store)
        former = setup.given
        @real = former unless @stores.value?(former)
        setup.given = store || @real
        nil
      end

      def real
        return setup.store unless @stores.value?(setup.given)

        @real ||= Raffia::Jobs::Store.open(Raffia.config.store || setup.default)
      end

      def setup = Raffia::Jobs::Setup.current
    end
  end
end
