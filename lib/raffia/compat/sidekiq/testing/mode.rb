# frozen_string_literal: true

require_relative "../../../jobs/config"
require_relative "../middleware_adapter"
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
        @stores = {fake: @fake_store, inline: InlineStore.new(method(:process))}
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

      # Runs a job in this process.
      def process(item)
        job = Raffia::Jobs::Execution.job_class(item["class"])
        if job.respond_to?(:process_job)
          job.process_job(item)
        else
          Raffia::Jobs::Execution.call(item, MiddlewareAdapter::Inline.new(chain))
        end
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

    # The process's.
    # @api private
    MODE = Mode.new
  end
end
