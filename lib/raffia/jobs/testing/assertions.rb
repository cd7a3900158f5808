# frozen_string_literal: true

require_relative "../testing"

module Raffia
  module Jobs
    module Testing
      # For Minitest and test-unit: include it in test classes.
      module Assertions
        # Such jobs wait. With a block: such jobs were enqueued in it.
        # @param job [Class]
        # @param args [Array, nil] nil: whatever they are
        # @param queue [String, nil]
        # @param at [Time, Numeric, nil] within a second
        # @param count [Integer, nil] nil: one or more
        # @return [Array<Hash>] their payloads
        def assert_enqueued(job, args: nil, queue: nil, at: nil, count: nil)
          before = block_given? ? job.jobs.map { |item| item["jid"] } : []
          yield if block_given?
          jobs = job.jobs.reject { |item| before.include?(item["jid"]) }
          found = jobs.select { |item| Assertions.fits?(item, args, queue, at) }
          wanted = {args: args, queue: queue, at: at}.compact
            .map { |name, value| " with #{name} #{value.inspect}" }.join
          assert(count ? found.size == count : found.any?,
            "#{count || "one or more"} of #{job}#{wanted} should be enqueued; there are " \
              "#{Assertions.list(jobs)}")
          found
        end

        # No job of that class waits. With a block: none was enqueued in it.
        # @return [void]
        def refute_enqueued(job, **, &) = assert_enqueued(job, **, count: 0, &)

        # @api private
        def self.fits?(item, args, queue, at)
          (args.nil? || item["args"] == args) && (queue.nil? || item["queue"] == queue.to_s) &&
            (at.nil? || (item["at"].to_f - at.to_f).abs <= 1)
        end

        # @api private
        def self.list(jobs)
          if jobs.empty?
            "none"
          else
            jobs.map { |item| item.slice("args", "queue", "at").inspect }.join(", ")
          end
        end
      end
    end
  end
end
