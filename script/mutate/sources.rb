# frozen_string_literal: true

module Mutate
  # The files of lib/ that are mutated.
  module Sources
    module_function

    # @param places [Array<String>] "task", "jobs/stores/sqlite", "lib/raffia/pool/chunk.rb", the
    #   same with ":LINE"; none for all
    # @return [Hash{String => Array<Integer>}] lines by path below the root, none for all lines
    # @raise [Error] when there is no such folder
    def select(places)
      places = ["."] if places.empty?
      places.each_with_object({}) do |place, found|
        name, line = place.split(":")
        files(name).each { |file| (found[file] ||= []).concat([*line&.to_i]) }
      end
    end

    # @param name [String] a folder or file
    # @return [Array<String>]
    def files(name)
      return all if name == "."

      base =
        "lib/raffia/#{name.delete_prefix("lib/raffia/").delete_suffix("/").delete_suffix(".rb")}"
      found = all.select { |file| file == "#{base}.rb" || file.start_with?("#{base}/") }
      found.empty? ? raise(Error, "there is no #{base}") : found
    end

    # @return [Array<String>]
    def all = @all ||= Dir.glob("lib/raffia/**/*.rb", base: ROOT).sort.freeze

    # @param file [String]
    # @return [String] its text when it was first asked for: files may change while mutants run
    def read(file) = (@texts ||= {})[file] ||= File.read(File.join(ROOT, file)).freeze
  end
end
