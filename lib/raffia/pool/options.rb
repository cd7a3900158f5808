# frozen_string_literal: true

require_relative "validation"

module Raffia
  class Pool
    # The keywords of Raffia.map, its sisters and Raffia::Pool.new, checked before anything starts.
    # One that means nothing on a strategy (a limit of memory, on threads) is checked all the same.
    #
    # workers:: how many items are worked on at once
    # limit:: how many items may be taken from the input ahead of their results
    # chunk:: how many items travel together; nil measures and decides
    # timeout:: seconds for the whole call
    # progress:: a String is the title
    # item_timeout:: seconds for each attempt at each item
    # retries:: how many further attempts an item gets after the first
    # backoff:: seconds before the second attempt, as Raffia.retry has it
    # retry_on:: the errors to try again on
    # max_tasks:: items after which a worker process is replaced
    # max_memory:: bytes beyond which a worker process is replaced
    # max_age:: seconds after which a worker process is replaced
    # move:: whether items are moved into Ractors rather than copied
    # explain:: whether +:auto+ says why it chose what it chose
    #
    # @api private
    Options = Data.define(:workers, :limit, :chunk, :timeout, :progress, :item_timeout, :retries,
      :backoff, :retry_on,
      :max_tasks, :max_memory, :max_age, :move, :explain) do
      def initialize(workers: nil, limit: nil, chunk: nil, timeout: nil, progress: false,
        item_timeout: nil, retries: 0,
        backoff: 0.1, retry_on: StandardError, max_tasks: nil, max_memory: nil, max_age: nil,
        move: false, explain: false)
        {workers:, limit:, chunk:, max_tasks:, max_memory:}.each do |name, value|
          Validation.count(name, value)
        end
        {timeout:, item_timeout:, max_age:}.each { |name, value| Validation.seconds(name, value) }
        Validation.retries(retries, backoff, retry_on)
        super
      end

      # The keywords of Pool.new.
      # @raise [ArgumentError] for what belongs to a single call
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
