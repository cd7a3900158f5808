# frozen_string_literal: true

require_relative "client/enqueue_counts"
require_relative "client/payload_builder"
require_relative "client/payload_template"
require_relative "encryption"
require_relative "middleware"

module Raffia
  module Jobs
    # Enqueues jobs: builds payloads, calls middleware, hands drafts to the store.
    class Client
      # Jobs in one call of the store.
      SLICE = 1000

      # Id of the batch that the running fiber enqueues to.
      # @api private
      def self.batch = Fiber[BATCH]

      # Enqueues the block's jobs to the batch of this id, nil: to none.
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

      def initialize(store, middleware = Middleware.new)
        @store = store
        @middleware = middleware
        @counts = Setup.current.enqueue_counts
      end

      # @param items [Array<Hash>] see {Payload}; "class" may be a Class, "at" is seconds since 1970
      # @return [Array<String, nil>] ids; nil where a middleware or a unique job rejected it
      # @raise [BadArguments, ConfigError, PayloadTooLarge, NotUnique, StoreUnavailable]
      def enqueue(items)
        unless items.is_a?(Array) && items.all?(Hash)
          raise ConfigError, "jobs are enqueued by an Array of Hashes, such as [{\"class\" => " \
            "MailJob, \"args\" => [1]}], and not by #{items.inspect[0, 100]}"
        end
        return enqueue_slice(items) if items.size <= SLICE

        items.each_slice(SLICE).flat_map { |slice| enqueue_slice(slice) }
      end

      # Enqueues jobs of one class that differ in their arguments only.
      # @api private
      # @param list [Array<Array>] the arguments of each
      # @return [Array<String>, nil] ids; nil: they need {enqueue}
      def enqueue_list(job, list)
        template = PayloadTemplate.for(job) if @middleware.empty?
        return unless template

        list.each_slice(SLICE).flat_map do |some|
          drafts = template.drafts(some)
          @store.enqueue(drafts).tap { @counts.add(drafts.first.queue, job, drafts.size) }
        end
      end

      # @return [Draft, nil] nil when a middleware rejects it; middleware sees plain arguments
      def draft(item) = (item = prepare(item)) && Draft.of(Encryption.seal(item))

      # The whole payload with plain arguments, nil when a middleware rejects it.
      # @api private
      def prepare(item)
        item = PayloadBuilder.build(item)
        item if @middleware.empty? || @middleware.call(item) { item }
      end

      private

      def enqueue_slice(items)
        drafts = items.map { |item| draft(item) }
        accepted = drafts.compact
        ids = accepted.empty? ? [] : @store.enqueue(accepted)
        count(items, drafts, ids)
        return ids if accepted.size == drafts.size

        drafts.map { |draft| draft && ids.shift }
      end

      # Ids are those of the drafts that are not nil; nil for a job that a unique one kept out.
      # Jobs in a row with the same queue and class are added at once.
      def count(items, drafts, ids)
        return count_one(items[0], drafts[0], ids[0]) if items.size == 1

        queue = job = nil
        size = 0
        number = -1
        drafts.each_with_index do |draft, index|
          next unless draft && ids[number += 1]

          name = items[index]["wrapped"] || items[index]["class"]
          unless name.equal?(job) && draft.queue == queue
            @counts.add(queue, job, size) if job
            queue, job, size = draft.queue, name, 0
          end
          size += 1
        end
        @counts.add(queue, job, size) if job
      end

      def count_one(item, draft, id)
        @counts.add(draft.queue, item["wrapped"] || item["class"]) if draft && id
      end
    end
  end
end
