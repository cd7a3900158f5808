# frozen_string_literal: true

module Conformance
  # The record of a child process about its tests, a line for each event:
  #
  #   begin "name"
  #   end "name" pass|fail|skip "message" seconds
  #   done
  #
  # Strings are dumped, so a line is a line. A test that began and has no end was at work when the
  # process ended.
  class Record
    Result = Struct.new(:status, :message)

    STATUSES = %w[pass fail skip].freeze

    def initialize(path)
      @path = path
    end

    attr_reader :path

    # @return [Hash{String => Result}] in the order of the tests; one that has not ended has
    #   no status
    def results
      events.each_with_object({}) do |(event, name, status, message), all|
        all[name] = Result.new(status, message) if name && %w[begin end].include?(event)
      end
    end

    # @return [String, nil] the test that was at work when the last event was written
    def running
      event, name = events.last
      name if event == "begin"
    end

    # Whether the suite came to its end.
    def done? = events.last&.first == "done"

    def size = File.exist?(@path) ? File.size(@path) : 0

    private

    def events
      return [] unless File.exist?(@path)

      File.readlines(@path, chomp: true).filter_map { |line| parse(line) }
    end

    # A line that a killed process left unfinished is none.
    def parse(line)
      event, rest = line.split(" ", 2)
      return [event] unless rest

      name, status, message = rest.split("\t")
      return if event == "end" && !STATUSES.include?(status)

      [event, name.undump, status, message&.undump]
    rescue RuntimeError
      nil
    end
  end
end
