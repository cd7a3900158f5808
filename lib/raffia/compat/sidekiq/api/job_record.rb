# frozen_string_literal: true

require_relative "../../../jobs/worker/backtrace"
require_relative "display"

module Sidekiq
  # A job in a queue.
  class JobRecord
    include Display

    # The payload, {} when it is unreadable.
    attr_reader :item
    # The payload's bytes.
    attr_reader :value
    attr_reader :queue

    # +value+: a payload, or its bytes. +entry+: the store's entry with it.
    def initialize(value, queue = nil, entry: nil)
      @value = value
      @entry = entry
      @item = value.is_a?(Hash) ? value : Raffia::Jobs::Payload.load(value)
      @queue = queue || @item["queue"]
    rescue Raffia::Jobs::BadPayload
      @item = {}
      @queue = queue
      @args = [value]
    end

    # The adapter's class for an Active Job, see {Display#display_class}.
    def klass = self["class"]

    # An unreadable payload is its own only argument.
    def args = @args || @item["args"]

    def jid = self["jid"]

    def bid = self["bid"]

    def tags = self["tags"] || []

    def enqueued_at = time("enqueued_at")

    def created_at = time("created_at") || time("enqueued_at") || Time.at(0)

    def failed_at = time("failed_at")

    def retried_at = time("retried_at")

    def error_backtrace = Raffia::Jobs::Worker::Backtrace.load(self["error_backtrace"])

    # Seconds since it was enqueued.
    def latency
      since = enqueued_at || (created_at if self["created_at"])
      since ? Time.now - since : 0.0
    end

    # Whether the job was still there.
    def delete = on_store { |store, entry| store.delete([entry]) }

    def [](name) = @item[name]

    private

    def time(name) = Raffia::Jobs::Payload.time(self[name])&.then { |seconds| Time.at(seconds).utc }

    # Searches for the entry when there is only a payload.
    def on_store
      store = Raffia::Jobs.store
      entry = @entry || store.find(jid)
      entry ? yield(store, entry).positive? : false
    end
  end
end
