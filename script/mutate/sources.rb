# frozen_string_literal: true

module Mutate
  # The files of lib/ that are mutated.
  module Sources
    module_function

    # @param folders [Array<String>] "task", "jobs/stores/sqlite", "lib/raffia/pool/chunk.rb";
    #   none for all
    # @return [Array<String>] paths below the root
    # @raise [Error] when there is no such folder
    def files(folders)
      return all if folders.empty?

      folders.flat_map do |folder|
        name = folder.delete_prefix("lib/raffia/").delete_suffix("/").delete_suffix(".rb")
        base = "lib/raffia/#{name}"
        found = all.select { |file| file == "#{base}.rb" || file.start_with?("#{base}/") }
        found.empty? ? raise(Error, "there is no lib/raffia/#{name}") : found
      end.uniq
    end

    # @return [Array<String>]
    def all = @all ||= Dir.glob("lib/raffia/**/*.rb", base: ROOT).sort.freeze

    # @param file [String]
    # @return [String] its text when it was first asked for: files may change while mutants run
    def read(file) = (@texts ||= {})[file] ||= File.read(File.join(ROOT, file)).freeze
  end
end
