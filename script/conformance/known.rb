# frozen_string_literal: true

module Conformance
  # The known differences of known/*.yml, a list for each suite:
  #
  #   suite:
  #     - tests: name or /pattern/, or a list of them
  #       modes: [select]   # the modes; without it: all of Raffia's
  #       steady: false     # it does not always fail: no word if it passes
  #       why: the reason, which goes into the table
  class Known
    FILES = File.expand_path("known/*.yml", __dir__)
    KEYS = %w[tests modes steady why].freeze

    # Some tests with one reason.
    Entry = Struct.new(:tests, :modes, :steady, :why) do
      def cover?(name, mode) = modes.include?(mode) && tests.any? { |test| test === name }
    end

    def self.read(pattern = FILES)
      Dir[pattern].sort.map { |file| YAML.safe_load_file(file) || {} }.reduce({}, :merge)
    end

    def initialize(lists = Known.read)
      @lists = lists.to_h { |suite, list| [suite, list.map { |entry| parse(suite, entry) }] }
    end

    # @return [Array<Entry>]
    def for(suite) = @lists.fetch(suite, [])

    private

    def parse(suite, entry)
      raise Error, "known differences of #{suite}: a reason (why:) is missing" unless entry["why"]
      unknown = entry.keys - KEYS
      unless unknown.empty?
        raise Error,
          "known differences of #{suite}: unknown #{unknown.join(", ")}"
      end

      tests = Array(entry["tests"]).map { |test| matcher(test) }
      Entry.new(tests, entry.fetch("modes", Suite::RAFFIA_MODES),
        entry.fetch("steady", true), entry["why"].strip)
    end

    def matcher(test)
      pattern = test[%r{\A/(.*)/\z}m, 1]
      pattern ? Regexp.new(pattern) : test
    end
  end
end
