# frozen_string_literal: true

require_relative "../testing"

module Raffia
  module Jobs
    module Testing
      # Assertions for Minitest and test-unit.
      module Assertions
        # Asserts that such jobs wait. With a block: that it enqueued them.
        # @param job [Class]
        # @param args [Array, nil] nil: any
        # @param queue [String, nil]
        # @param at [Time, Numeric, nil] within a second
        # @param count [Integer, nil] nil: one or more
        # @return [Array<Hash>] their payloads
        def assert_enqueued(job, args: nil, queue: nil, at: nil, count: nil)
          before = block_given? ? job.jobs.map { |item| item["jid"] } : []
          yield if block_given?
          jobs = job.jobs.reject { |item| before.include?(item["jid"]) }
          found = jobs.select { |item| Assertions.matches?(item, args, queue, at) }
          wanted = {args: args, queue: queue, at: at}.compact
            .map { |name, value| " with #{name} #{value.inspect}" }.join
          assert(count ? found.size == count : found.any?,
            "#{count || "one or more"} of #{job}#{wanted} should be enqueued; there are " \
              "#{Assertions.list(jobs)}")
          found
        end

        # Asserts that no job of the class waits. With a block: that it enqueued none.
        def refute_enqueued(job, **, &) = assert_enqueued(job, **, count: 0, &)

        # @api private
        def self.matches?(item, args, queue, at)
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
