# frozen_string_literal: true

require_relative "validation"

module Raffia
  class Pool
    # The keywords of Raffia.map (see {API}) and of {Pool#initialize}, checked before anything
    # starts. One that has no effect on a strategy (a memory limit on threads) is checked too.
    #
    # limit:: items that may be taken from the input ahead of their results
    # chunk:: items that travel together; nil: measured
    # timeout:: seconds for the whole call
    # item_timeout:: seconds for each attempt at each item
    # retries:: further attempts of an item after the first
    # backoff:: seconds before the second attempt, or a callable
    # max_tasks:: items after which a worker process is replaced
    # max_memory:: bytes beyond which it is
    # max_age:: seconds after which it is
    # move:: whether items are moved into Ractors rather than copied
    # explain:: whether +:auto+ reports why it chose its strategy
    #
    # @api private
    Options = Data.define(:workers, :limit, :chunk, :timeout, :progress, :item_timeout, :retries,
      :backoff, :retry_on, :max_tasks, :max_memory, :max_age, :move, :explain) do
      def initialize(workers: nil, limit: nil, chunk: nil, timeout: nil, progress: false,
        item_timeout: nil, retries: 0, backoff: 0.1, retry_on: StandardError, max_tasks: nil,
        max_memory: nil, max_age: nil, move: false, explain: false)
        Validation.counts(workers:, limit:, chunk:, max_tasks:, max_memory:)
        Validation.seconds(timeout:, item_timeout:, max_age:)
        Validation.retries(retries, backoff, retry_on)
        super
      end

      # The keywords of Pool.new. Raises ArgumentError for those of a single call.
      def self.persistent(**keywords)
        foreign = keywords.keys & %i[limit chunk timeout progress explain]
        unknown = keywords.keys - members + foreign
        return new(**keywords) if unknown.empty?

        words = "unknown keyword#{"s" if unknown.size > 1}: #{unknown.map(&:inspect).join(", ")}"
        single = foreign.map { |name| "#{name}:" }.join(", ")
        words << " (a single call, such as Raffia.map, takes #{single})" if foreign.any?
        raise ArgumentError, words
      end
    end
  end
end
