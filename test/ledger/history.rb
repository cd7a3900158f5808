# frozen_string_literal: true

module Ledger
  # Events of jobs as lines of an append-only file. Each line is one write, so a kill cannot lose or
  # mix lines. A line is a letter and the id of a job.
  class History
    EVENTS = {kept: "e", began: "b", ended: "f", acked: "a"}.freeze

    # @param path [String]
    def initialize(path)
      @io = File.open(path, File::WRONLY | File::APPEND | File::CREAT)
    end

    # @param event [Symbol] of {EVENTS}
    # @param jids [Array<String>]
    # @return [void]
    def note(event, jids)
      letter = EVENTS.fetch(event)
      @io.syswrite(jids.map { |jid| "#{letter} #{jid}\n" }.join) unless jids.empty?
    end

    # @return [void]
    def close = @io.close

    # How often each event was noted of each job.
    # @return [Hash{Symbol => Hash{String => Integer}}]
    def self.read(path)
      events = EVENTS.invert
      counts = EVENTS.transform_values { Hash.new(0) }
      File.foreach(path) { |line| counts[events.fetch(line[0])][line[2, 24]] += 1 }
      counts
    end
  end

  # Counts of a growing history.
  class Progress
    # @param path [String]
    def initialize(path)
      @io = File.open(path)
      @counts = Hash.new(0)
    end

    # @return [Integer]
    def kept = counts["e"]

    # @return [Integer] kept and not acknowledged, roughly: a killed worker has noted less than it
    #   did
    def open = counts.then { |of| of["e"] - of["a"] }

    # @return [Boolean] since it was asked last
    def grows?
      before = @seen.to_i
      (@seen = counts.values.sum) > before
    end

    private

    def counts
      @io.each_line { |line| @counts[line[0]] += 1 }
      @counts
    end
  end
end
