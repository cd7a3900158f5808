# frozen_string_literal: true

require_relative "job_record"
require_relative "pages"

module Sidekiq
  # Waiting jobs of a queue.
  class Queue
    include Enumerable

    def self.all = Raffia::Jobs.store.queues.map { |queue| new(queue["name"]) }

    attr_reader :name
    alias_method :id, :name

    def initialize(name = "default")
      @name = name.to_s
      @pages = Pages.new(:queue, queue: @name)
    end

    def size = @pages.size

    # Seconds that the oldest job has waited.
    def latency = @pages.summary["latency"].to_f

    def paused? = @pages.summary["paused"]

    # Workers claim no jobs until {unpause!}; jobs can be enqueued.
    def pause! = Raffia::Jobs.store.pause(@name)

    def unpause! = Raffia::Jobs.store.resume(@name)

    # Newest first.
    def each
      return to_enum unless block_given?

      @pages.backwards { |entry| yield record(entry) }
    end

    def find_job(jid) = @pages.find(jid)&.then { |entry| record(entry) }

    def clear
      @pages.clear
      true
    end

    def as_json(*) = {name:}

    private

    def record(entry) = JobRecord.new(entry.payload, @name, entry:)
  end
end
