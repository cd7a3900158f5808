# frozen_string_literal: true

require "yaml"

module Conformance
  # All suites that there are, by name, in the order of their files.
  class Catalogue
    FILES = File.expand_path("suites/*.yml", __dir__)

    # @return [Hash{String => Hash}] the entries
    def self.read(pattern = FILES)
      Dir[pattern].sort.each_with_object({}) do |file, all|
        YAML.safe_load_file(file, aliases: true).each do |name, entry|
          raise Error, "suite #{name} is in #{file} and elsewhere" if all.key?(name)

          all[name] = entry
        end
      end
    end

    def initialize(entries = Catalogue.read)
      @suites = entries.map { |name, entry| Suite.new(name, entry) }
    end

    attr_reader :suites

    def names = @suites.map(&:name)

    # @param asked [Array<String>] names; none: all suites
    # @raise [Error] for a name that no suite has
    def choose(asked)
      unknown = asked - names
      unless unknown.empty?
        raise Error,
          "no suite is called #{unknown.join(", ")}; there are: #{names.join(", ")}"
      end

      asked.empty? ? @suites : @suites.select { |suite| asked.include?(suite.name) }
    end

    def quick = @suites.select(&:quick?)
  end
end
