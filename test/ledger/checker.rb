# frozen_string_literal: true

require_relative "history"

module Ledger
  # Checks the history of a campaign: lost jobs, and jobs acknowledged twice.
  class Checker
    # @param path [String] of the history
    # @param faults [Hash{Symbol => Integer}] how often each thing was done to it
    # @param left [Hash{Symbol => Integer}] how many jobs are anywhere in the store
    def initialize(path, faults, left)
      @kept, @began, @ended, @acked = History.read(path).values_at(:kept, :began, :ended, :acked)
      @faults = faults
      @left = left
    end

    # @return [Array<String>] acknowledged, and neither done nor in the store
    def lost = @kept.keys.reject { |jid| @ended.key?(jid) }

    # @return [Array<String>] the store took an ack of them more than once
    def acked_twice = @acked.select { |_, count| count > 1 }.keys

    # @return [Boolean]
    def good? = lost.empty? && acked_twice.empty? && @left.values.sum.zero?

    # @return [Hash]
    def to_h
      {"kept" => @kept.size, "done" => @kept.keys.count { |jid| @ended.key?(jid) },
       "lost" => lost.size, "acked twice" => acked_twice.size,
       "begun again" => @began.count { |_, count| count > 1 },
       "done again" => @ended.count { |_, count| count > 1 },
       "left in the store" => @left.values.sum, "faults" => @faults}
    end

    # @return [String] for people
    def to_s
      facts = to_h
      faults = facts.delete("faults").map { |name, count| "#{count} x #{name.to_s.tr("_", " ")}" }
      "#{facts.map { |name, count| "#{name}: #{count}" }.join(", ")}; #{faults.join(", ")}"
    end
  end
end
