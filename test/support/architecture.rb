# frozen_string_literal: true

require_relative "architecture/components"
require_relative "architecture/source"
require_relative "architecture/requires"
require_relative "architecture/constants"
require_relative "architecture/starters"
require_relative "architecture/patches"
require_relative "architecture/state"
require_relative "architecture/hooks"
require_relative "architecture/paths"

# The rules that keep the components apart, as code. test/architecture_test.rb runs them over lib/,
# and each one over a file that breaks it.
module Architecture
  RULES = [Requires, Constants, Starters, Patches, State, Hooks].freeze

  module_function

  # @param path [String] relative to the repository
  # @return [Array<Offence>]
  def check(path, text)
    source = Source.new(path, text)
    RULES.flat_map { |rule| rule.check(source) } + first_line(source)
  end

  def first_line(source)
    return [] if source.text.start_with?("# frozen_string_literal: true\n")
    [Offence.new(source.path, 1, "the first line is not `# frozen_string_literal: true`")]
  end

  # The native core is C that knows no Ruby, so that it can be fuzzed and run under sanitizers by
  # itself.
  def check_c(path, text)
    return [] unless path.start_with?("ext/raffia/core/")
    text.each_line.with_index(1).filter_map do |line, number|
      next unless line.match?(%r{^\s*#\s*include\s*[<"](ruby[./]|\.\./bind/)})
      Offence.new(path, number, "core/ includes #{line.strip.split.last}: it must not know Ruby; " \
        "that is bind/'s work")
    end
  end
end
