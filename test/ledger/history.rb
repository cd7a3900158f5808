# frozen_string_literal: true

module Ledger
  # Events as lines of an append-only file. Each call is one write, so a kill cannot lose or mix
  # lines. A line is a letter, an id and, for some events, values.
  class History
    # Jobs by their id. Of the others see {Loads} and {Recorder}.
    EVENTS = {
      kept: "e", # JID KIND
      began: "b", ended: "f", acked: "a", # JID
      claimed_rate: "r", refunded_rate: "u", # KEY FROM TO: monotonic seconds around the claim
      kept_fair: "q", claimed_fair: "p", # JID TENANT
      unsealed: "z", # JID: an encrypted argument was not what was enqueued
      kept_batch: "k", called_back: "C", # BATCH; BATCH/EVENT
      kept_workflow: "w", effect: "x", acked_node: "A", # ID KIND SIZE; ID/NODE VALUE; ID/NODE
      kept_function: "d", value: "v", returned: "o", # ID KIND; ID/STEP VALUE; ID
      signalled: "s", taken: "t", # ID; ID PAYLOAD
      fault: "!" # NAME FROM TO, and the marks of {OlderData}
    }.freeze

    # @param path [String]
    def initialize(path)
      @io = File.open(path, File::WRONLY | File::APPEND | File::CREAT)
    end

    # @param event [Symbol] of {EVENTS}
    # @param ids [Array<String>] each with its values, separated by spaces
    # @return [void]
    def note(event, ids)
      letter = EVENTS.fetch(event)
      @io.syswrite(ids.map { |id| "#{letter} #{id}\n" }.join) unless ids.empty?
    end

    # @return [void]
    def close = @io.close

    # How often each event was noted of each id.
    # @return [Hash{Symbol => Hash{String => Integer}}]
    def self.read(path)
      EVENTS.transform_values { Hash.new(0) }.tap do |counts|
        each(path) { |event, id| counts[event][id] += 1 }
      end
    end

    # Yields event, id and the rest of the line, in the order of the file.
    def self.each(path)
      events = EVENTS.invert
      File.foreach(path, chomp: true) do |line|
        _, id, values = line.split(" ", 3)
        yield events.fetch(line[0]), id, values
      end
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
    #   did, and steps of workflows are acknowledged, too
    def open = counts.then { |of| of["e"] - of["a"] + of["A"] }

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
