# frozen_string_literal: true

require_relative "../jobs"
require_relative "import/conversion"
require_relative "import/report"
require_relative "import/source"

module Raffia
  module Jobs
    # Moves jobs from another gem's queues into a store: none is lost, and none comes twice.
    #
    # The source puts a batch aside durably, under a random id. The store takes its jobs and the id
    # in one operation. Then the source forgets the batch. After a kill at any point the next import
    # finds the batch at the source, and the id tells it whether the store has its jobs.
    class Import
      # Jobs in a batch.
      SLICE = 1000
      # Seconds between two looks at an empty source.
      PAUSE = 1
      # Seconds that the store remembers a batch which the source has forgotten: a second import may
      # have read it before.
      REMEMBERED = 86_400
      # Dead jobs are stored as due then, so that none starts before it is moved to `dead`: 2100.
      NEVER = 4_102_444_800.0

      # @return [Source]
      attr_reader :source
      # @return [Report] of what was done so far
      attr_reader :report

      # @param format [String] of {Source::FORMATS}
      # @param url [String] of the other gem's Redis or database
      # @param to [Store]
      # @param map [#call, nil] gets each payload, and returns the one to store, or nil for a dead
      #   job
      # @param permitted [Array<String>] classes of Delayed Job's own job objects
      # @raise [ConfigError] for an unknown format, or a store that only this process has
      # @raise [StoreUnavailable] when the source cannot be reached
      def initialize(format, url, to:, map: nil, permitted: [], slice: SLICE)
        unless to.shared?
          raise ConfigError, "#{to.url} is gone when this command ends: name another store by --to"
        end

        @store = to
        @slice = slice
        @source = Source.open(format, url)
        @conversion = Conversion.new(@source, map, permitted)
        @report = Report.new
        @stopping = false
      end

      # Reads all jobs, and changes nothing.
      # @yieldparam report [Report] after each page
      # @return [Report] what {run} would do
      def plan
        @source.each_page(@slice) do |records|
          records.each { |record| @report.add(@conversion.call(record, "plan")) }
          yield @report if block_given?
        end
        @report
      end

      # Imports all jobs that nobody runs.
      # @param follow [Boolean] waits for more until {stop}
      # @yieldparam report [Report] after each batch
      # @return [Report]
      # @raise [StoreUnavailable] run it again: it goes on where it stopped
      def run(follow: false, &)
        until @stopping
          import_waiting(&)
          break unless follow

          sleep(PAUSE)
        end
        @report
      end

      # Ends {run} after the batch that is under way.
      def stop
        @stopping = true
      end

      # Closes connections to the source.
      def close = @source.close

      private

      def import_waiting
        while !@stopping && (batch = @source.take(@slice))
          import(batch)
          yield @report if block_given?
        end
      end

      def import(batch)
        key = "import:#{batch.id}"
        entries = batch.records.each_with_index.map { |record, index|
          @conversion.call(record, "#{batch.id}:#{index}")
        }
        ids = @store.enqueue(entries.map(&:draft),
          precondition: Precondition.new(key:, expect: nil, value: Time.now.to_f.to_s))
        bury_failed if ids.nil? || entries.any?(&:dead?)
        @source.delete(batch)
        @store.write(key, "done", ttl: REMEMBERED)
        record(entries, ids)
      end

      # Without ids an earlier import was killed after it had stored the batch.
      def record(entries, ids)
        return @report.resume(entries.size) unless ids

        entries.zip(ids) { |entry, id| @report.add(entry, stored: !id.nil?) }
      end

      # Also finds those of an import that was killed before it could do this. They are the last of
      # the set.
      def bury_failed
        while (entries = last_scheduled).any?
          return if @store.kill(entries).zero?
        end
      end

      def last_scheduled
        offset = [@store.counts[:scheduled] - @slice, 0].max
        @store.entries(:scheduled, offset:, limit: 2 * @slice)
          .select { |entry| entry.at >= NEVER && entry.item.key?("discarded_at") }
      end
    end
  end
end
