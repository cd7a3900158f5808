# frozen_string_literal: true

require_relative "job_record"
require_relative "../retry_hooks"

module Sidekiq
  # A job of a set that is sorted by time.
  class SortedEntry < JobRecord
    attr_reader :parent
    # Seconds since 1970.
    attr_reader :score

    def initialize(parent, score, value, entry: nil)
      super(value, entry:)
      @parent = parent
      @score = Float(score)
    end

    def id = "#{score}|#{jid}"

    def at = Time.at(score).utc

    def error? = !item["error_class"].nil?

    # Moves the job to its queue; a dead one gets all its retries again. Returns whether it was
    # still there.
    def add_to_queue = on_store { |store, entry| store.requeue([entry]) }
    alias_method :retry, :add_to_queue

    # Moves the job to the dead ones, and calls this process's death handlers. Returns whether it
    # was still there.
    def kill
      on_store { |store, entry| store.kill([entry]) }.tap { |killed| call_death_handlers if killed }
    end

    def reschedule(*)
      raise(NotProvided, "Sidekiq::SortedEntry#reschedule is not there: enqueue a job of the " \
        "same class and arguments with perform_at, and delete this one")
    end

    # @api private
    def call_death_handlers(error = nil)
      RetryHooks.died(item, error || RuntimeError.new("Job killed by API"))
    end
  end
end
