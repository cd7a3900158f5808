# frozen_string_literal: true

require_relative "../../../jobs"
require_relative "../../../jobs/worker/backtrace"
require_relative "display"

module Sidekiq
  # A job in a queue.
  class JobRecord
    include Display

    # @return [Hash] the payload; {} when it cannot be read
    attr_reader :item
    # @return [String] its bytes
    attr_reader :value
    # @return [String, nil]
    attr_reader :queue

    # @param value [String, Hash] a payload
    # @param queue [String, nil]
    # @param entry [Raffia::Jobs::Entry, nil] where it was found
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

    # @return [String, nil] of an Active Job the adapter's class, see {Display#display_class}
    def klass = self["class"]

    # @return [Array, nil] what cannot be read is an argument itself
    def args = @args || @item["args"]

    # @return [String, nil]
    def jid = self["jid"]

    # @return [String, nil]
    def bid = self["bid"]

    # @return [Array<String>]
    def tags = self["tags"] || []

    # @return [Time, nil]
    def enqueued_at = time("enqueued_at")

    # @return [Time]
    def created_at = time("created_at") || time("enqueued_at") || Time.at(0)

    # @return [Time, nil]
    def failed_at = time("failed_at")

    # @return [Time, nil]
    def retried_at = time("retried_at")

    # @return [Array<String>, nil]
    def error_backtrace = Raffia::Jobs::Worker::Backtrace.load(self["error_backtrace"])

    # @return [Float] seconds since it came into its queue
    def latency
      since = enqueued_at || (created_at if self["created_at"])
      since ? Time.now - since : 0.0
    end

    # @return [Boolean] whether it was still there
    def delete = on_store { |store, entry| store.delete([entry]) }

    # @return [Object, nil] of the payload
    def [](name) = @item[name]

    private

    def time(name) = Raffia::Jobs::Payload.time(self[name])&.then { |seconds| Time.at(seconds).utc }

    # What was made of a payload alone is looked for.
    def on_store
      store = Raffia::Jobs.store
      entry = @entry || store.find(jid)
      entry ? yield(store, entry).positive? : false
    end
  end
end
