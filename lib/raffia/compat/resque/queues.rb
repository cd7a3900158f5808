# frozen_string_literal: true

module Resque
  # Enqueues jobs, and looks at queues.
  module Queues
    # Jobs in one look at a set.
    PAGE = 500
    private_constant :PAGE

    class << self
      # Deletes jobs of a set whose payload the block accepts. Returns their number.
      def delete(set, queue = nil)
        count = offset = 0
        store = Raffia::Jobs.store
        until (entries = store.entries(set, queue:, offset:, limit: PAGE)).empty?
          found = entries.select { |entry| yield entry.item }
          gone = store.delete(found)
          count += gone
          offset += entries.size - gone
        end
        count
      end

      # Whether a payload is of this class, and has these arguments if there are any.
      def match?(item, job, args)
        item["class"] == job.to_s &&
          (args.empty? || item["args"] == JSON.parse(JSON.generate(args)))
      end
    end

    # Returns true, or nil when a before_enqueue hook rejects the job.
    def enqueue(job, *args) = enqueue_to(queue_from_class(job), job, *args)

    # The same in this queue.
    def enqueue_to(queue, job, *args)
      return unless Plugin.run(job, "before_enqueue", *args)

      Job.create(queue, job, *args)
      Plugin.run(job, "after_enqueue", *args)
      true
    end

    # Deletes waiting jobs of a class, or with these arguments. Returns their number, or nil when a
    # before_dequeue hook forbids it.
    def dequeue(job, *args)
      return unless Plugin.run(job, "before_dequeue", *args)

      count = Job.destroy(queue_from_class(job), job, *args)
      Plugin.run(job, "after_dequeue", *args)
      count
    end

    # Stores a job; `item` has "class" and "args".
    def push(queue, item)
      item = item.transform_keys(&:to_s)
      SETUP.enqueue(queue, item["class"], item["args"])
    end

    def queue_from_class(job)
      (job.instance_variable_get(:@queue) if job.instance_variable_defined?(:@queue)) ||
        (job.queue if job.respond_to?(:queue))
    end

    # Raises NoQueueError and NoClassError.
    def validate(job, queue = nil)
      raise NoClassError, "Jobs must be given a class." if job.to_s.empty?
      return if queue || queue_from_class(job)

      raise NoQueueError, "Jobs must be placed onto a queue. No queue could be inferred for " \
        "class #{job}"
    end

    def queues = Raffia::Jobs.store.queues.map { |queue| queue["name"] }

    def size(queue) = queue_sizes.fetch(queue.to_s, 0)

    def queue_sizes = Raffia::Jobs.store.queues.to_h { |queue| queue.values_at("name", "size") }

    # Payloads of waiting jobs: one Hash, or with a count an Array.
    def peek(queue, start = 0, count = 1)
      found = Raffia::Jobs.store.entries(:queue, queue: queue.to_s, offset: start, limit: count)
        .map { |entry| entry.item.slice("class", "args") }
      (count == 1) ? found.first : found
    end

    # Deletes all waiting jobs of a queue.
    def remove_queue(queue) = Raffia::Jobs.store.clear(:queue, queue: queue.to_s)
  end
end
