# frozen_string_literal: true

module Architecture
  # Exceptions to a rule, a file of lines for each component. The lists only shrink: a line that is
  # not needed any more fails the test.
  module Pending
    FOLDER = File.expand_path("pending", __dir__)

    module_function

    # @param rule [String] "paths" or "names"
    # @return [Hash{String => Array<String>}] component => lines
    def read(rule)
      Dir[File.join(FOLDER, rule, "*.txt")].sort
        .to_h { |file| [File.basename(file, ".txt"), File.readlines(file, chomp: true)] }
    end

    # Deletes the lines that are not needed.
    # @param needed [Hash{String => Array<String>}] component => lines
    # @return [void]
    def tidy(rule, needed)
      read(rule).each do |component, lines|
        file = File.join(FOLDER, rule, "#{component}.txt")
        kept = lines & needed.fetch(component, [])
        kept.empty? ? File.delete(file) : File.write(file, kept.map { |line| "#{line}\n" }.join)
      end
    end
  end
end
