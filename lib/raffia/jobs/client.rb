# frozen_string_literal: true

require_relative "client/payload_builder"
require_relative "middleware"
require_relative "store"

module Raffia
  module Jobs
    # Writes jobs down.
    class Client
      # How many are handed to the store at once.
      SLICE = 1000
      BATCH = :raffia_jobs_batch
      private_constant :BATCH

      # @return [String, nil] the batch that what the running fiber enqueues belongs to
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

        return keep(items) if items.size <= SLICE

        items.each_slice(SLICE).flat_map { |slice| keep(slice) }
      end

      # @param item [Hash]
      # @return [Draft, nil] nil when a middleware keeps it out
      def draft(item)
        item = PayloadBuilder.build(item)
        return Draft.of(item) if @middleware.empty?

        Draft.of(item) if @middleware.call(item) { item }
      end

      private

      def keep(items)
        drafts = items.map { |item| draft(item) }
        wanted = drafts.compact
        ids = wanted.empty? ? [] : @store.enqueue(wanted)
        return ids if wanted.size == drafts.size

        drafts.map { |draft| draft && ids.shift }
      end
    end
  end
end
