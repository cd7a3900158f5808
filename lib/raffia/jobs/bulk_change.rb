# frozen_string_literal: true

require_relative "../base/clock"
require_relative "job_filter"

module Raffia
  module Jobs
    # Changes all jobs of some sets that a {JobFilter} selects, page by page.
    # @api private
    class BulkChange
      # Jobs in one step.
      PAGE = 500

      def initialize(store, sets, filter)
        @store = store
        @sets = sets
        @filter = filter
      end

      # Returns how many jobs it would change.
      def count = @sets.sum { |set| count_of(set) }

      # Yields entries to a block that changes them and returns how many it changed. Entries that
      # do not change are passed over, and jobs that come meanwhile may stay. `progress` gets the
      # number of jobs that were read, and of those that were changed. Stops after so many seconds.
      def call(progress: nil, seconds: Float::INFINITY)
        @until = Clock.now + seconds
        changed = read = 0
        @sets.each do |set|
          each_page(set) do |page|
            read += page.size
            selected = page.select { |entry| @filter.match?(entry, Time.now.to_f) }
            done = selected.empty? ? 0 : yield(selected)
            changed += done
            progress&.call(read, changed)
            done
          end
        end
        changed
      end

      private

      # The block returns how many entries have left their place. No more are read than there were
      # at the start, because a change may bring a job back to the end of its set.
      def each_page(set)
        queues(set).each do |queue|
          passed = 0
          left = size(set, queue)
          while left.positive? && !late?
            page = page(set, queue, passed, [left, PAGE].min)
            break if page.empty?

            passed += page.size - yield(page)
            left -= page.size
          end
        end
      end

      def late? = !@until.nil? && Clock.now >= @until

      # Each queue alone, because offsets across queues shift with each enqueue.
      def queues(set)
        return [nil] unless set == :queue

        only = @filter.for_store(set)[:queue]
        only ? [only] : @store.queues.map { |queue| queue["name"] }
      end

      def size(set, queue)
        return @store.counts[set] unless queue

        @store.queues.find { |one| one["name"] == queue }&.fetch("size") || 0
      end

      def page(set, queue, offset, limit)
        @store.entries(set, queue:, offset:, limit:, **@filter.for_store(set).except(:queue))
      end

      def count_of(set)
        count = 0
        each_page(set) do |page|
          count += page.count { |entry| @filter.match?(entry, Time.now.to_f) }
          0
        end
        count
      end
    end
  end
end
