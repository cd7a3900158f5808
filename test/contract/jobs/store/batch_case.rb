# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Shared by tests of batches. A callback is a job in the queue "callbacks" with the batch and the
  # event.
  module BatchCase
    include Case

    EVENTS = %w[success complete death].freeze

    def open_batch(id = "b", events: EVENTS, **how)
      store.open_batch(id, callbacks: events.to_h { |event|
        [event,
          draft("#{id} #{event}", queue: "callbacks")]
      }, **how)
    end

    def member(arg, id = "b", **how) = draft(arg, **how, own: {batch: id, **how.fetch(:own, {})})

    # @return [Array<String>] the callbacks that were enqueued since the last call
    def called
      store.entries(:queue, queue: "callbacks").tap { |list| store.delete(list) }
        .flat_map { |one| one.item["args"] }.sort
    end

    def counts_of(id = "b") = store.batch(id).values_at("total", "pending", "dead")
  end
end
