# frozen_string_literal: true

require_relative "client/payload_builder"
require_relative "middleware"
require_relative "store"

module Raffia
  module Jobs
    # Enqueues jobs: builds payloads, calls middleware, hands drafts to the store.
    class Client
      # Jobs in one call of the store.
      SLICE = 1000
      BATCH = :raffia_jobs_batch
      private_constant :BATCH

      # @return [String, nil] id of the batch that the running fiber enqueues to
      # @api private
      def self.batch = Fiber[BATCH]

      # @param id [String, nil] of a batch
      # @return [Object] the block's value
      # @api private
      def self.with_batch(id)
        before = Fiber[BATCH]
        Fiber[BATCH] = id
        yield
      ensure
        Fiber[BATCH] = before
      end

      # @return [Store]
      attr_reader :store

      # @param store [Store]
      # @param middleware [Middleware]
      def initialize(store, middleware = Middleware.new)
        @store = store
        @middleware = middleware
      end

      # @param items [Array<Hash>] see {Payload}; "class" may be a Class, "at" is seconds since 1970
      # @return [Array<String, nil>]
      # @raise [BadArguments, ConfigError, PayloadTooLarge, NotUnique, StoreUnavailable]
      def enqueue(items)
        unless items.is_a?(Array) && items.all?(Hash)
          raise ConfigError, "jobs are enqueued by an Array of Hashes, such as [{\"class\" => " \
            "MailJob, \"args\" => [1]}], and not by #{items.inspect[0, 100]}"
        end

        return store_slice(items) if items.size <= SLICE

        items.each_slice(SLICE).flat_map { |slice| store_slice(slice) }
      end

      # @param item [Hash]
      # @return [Draft, nil] nil when a middleware rejects it
      def draft(item)
        item = PayloadBuilder.build(item)
        return Draft.of(item) if @middleware.empty?

        Draft.of(item) if @middleware.call(item) { item }
      end

      private

      def store_slice(items)
        drafts = items.map { |item| draft(item) }
        wanted = drafts.compact
        ids = wanted.empty? ? [] : @store.enqueue(wanted)
        return ids if wanted.size == drafts.size

        drafts.map { |draft| draft && ids.shift }
      end
    end
  end
end
