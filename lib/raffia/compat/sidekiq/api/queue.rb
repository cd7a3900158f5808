# frozen_string_literal: true

require_relative "job_record"
require_relative "pages"

module Sidekiq
  # Waiting jobs of a queue.
  class Queue
    include Enumerable

    # @return [Array<Queue>] by name
    def self.all = Raffia::Jobs.store.queues.map { |queue| new(queue["name"]) }

    # @return [String]
    attr_reader :name
    alias_method :id, :name

    # @param name [String, Symbol]
    def initialize(name = "default")
      @name = name.to_s
      @pages = Pages.new(:queue, queue: @name)
    end

    # @return [Integer]
    def size = @pages.size

    # @return [Float] seconds that the oldest job has waited
    def latency = @pages.facts["latency"].to_f

    # @return [Boolean]
    def paused? = @pages.facts["paused"]

    # No job is claimed until {unpause!}; jobs can be enqueued.
    # @return [void]
    def pause! = Raffia::Jobs.store.pause(@name)

    # @return [void]
    def unpause! = Raffia::Jobs.store.resume(@name)

    # Newest first.
    # @yieldparam job [JobRecord]
    # @return [void]
    def each
      return to_enum unless block_given?

      @pages.backwards { |entry| yield record(entry) }
    end

    # @param jid [String]
    # @return [JobRecord, nil]
    def find_job(jid) = @pages.find(jid)&.then { |entry| record(entry) }

    # @return [true]
    def clear
      @pages.clear
      true
    end

    # @return [Hash] for JSON
    def as_json(*) = {name: name}

    private

    def record(entry) = JobRecord.new(entry.payload, @name, entry: entry)
  end
end
