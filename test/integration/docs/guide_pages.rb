# frozen_string_literal: true

module Raffia
  # The samples of README and guides beside Ruby programs (those are readme_test.rb's): fenced or
  # indented, in their order.
  module GuidePages
    ROOT = File.expand_path("../../..", __dir__)
    RUBY = /^```ruby\n.*?^```$/m
    FENCED = /^```(\w*)\n(.*?)^```$/m
    # Indented, after a line that is empty, down to the next one that is not indented.
    INDENTED = /(?<=\n\n) {4,}\S.*\n(?: {4}.*\n|\n(?= {4}))*/

    TEXTS = ["README.md", *Dir.glob("guides/**/*.md", base: ROOT).sort].to_h do |page|
      [page, File.read(File.join(ROOT, page), encoding: "UTF-8").gsub(RUBY, "")]
    end.freeze
    SAMPLES = TEXTS.flat_map do |page, text|
      indented = text.gsub(FENCED, "").scan(INDENTED).map { |sample| sample.gsub(/^ {4}/, "") }
      [*text.scan(FENCED).map(&:last), *indented].map { |sample| [page, sample] }
    end.freeze

    # In a block of commands or in the middle of a sentence.
    COMMAND = /(?:^ *|`)(?:[A-Z_]+=\S+ )*(?:bundle exec |bin\/)?(raffia [a-z][^`\n#]*)/
    LINE = /\A(?:#{COMMAND}|(?:[A-Z_]+=\S+ )*(?:bin\/|rackup|rails|ruby|cd|curl|falcon))/
    COMMANDS = SAMPLES.select { |_, text|
      text.lines
        .all? { |line| line.strip.empty? || line.match?(LINE) }
    }.freeze

    private

    # @param words [String] which it begins with
    def sample(page, words)
      found = SAMPLES.select { |where, text| where == page && text.lstrip.start_with?(words) }
      assert_equal 1, found.size, "#{page}: #{words}"
      found.first.last
    end
  end
end
