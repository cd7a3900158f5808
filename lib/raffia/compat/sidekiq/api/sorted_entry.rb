# frozen_string_literal: true

require_relative "job_record"
require_relative "../retry_hooks"

module Sidekiq
  # A job of a set that is sorted by time.
  class SortedEntry < JobRecord
    # @return [JobSet]
    attr_reader :parent
    # @return [Float] seconds since 1970
    attr_reader :score

    # @param parent [JobSet]
    # @param score [Float]
    # @param value [String, Hash] a payload
    # @param entry [Raffia::Jobs::Entry, nil]
    def initialize(parent, score, value, entry: nil)
      super(value, entry: entry)
      @parent = parent
      @score = Float(score)
    end

    # @return [String]
    def id = "#{score}|#{jid}"

    # @return [Time]
    def at = Time.at(score).utc

    # @return [Boolean] whether it has failed
    def error? = !item["error_class"].nil?

    # Moves it to its queue. A dead job gets all its retries again.
    # @return [Boolean] whether it was still there
    def add_to_queue = on_store { |store, entry| store.requeue([entry]) }
    alias_method :retry, :add_to_queue

    # Moves it to the dead jobs, and calls this process's death handlers.
    # @return [Boolean] whether it was still there
    def kill
      on_store { |store, entry| store.kill([entry]) }.tap { |killed| tell_of_death if killed }
    end

    # @raise [NotProvided]
    def reschedule(*)
      raise(NotProvided, "Sidekiq::SortedEntry#reschedule is not there: enqueue a job of the " \
        "same class and arguments with perform_at, and delete this one")
    end

    # @param error [Exception, nil]
    # @return [void]
    # @api private
    def tell_of_death(error = nil)
      RetryHooks.died(item, error || RuntimeError.new("Job killed by API"))
    end
  end
end
