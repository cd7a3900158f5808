# frozen_string_literal: true

require "fileutils"

module Bench
  # Programs that a suite is in need of, built into tmp/bench when they are missing or older than
  # their source.
  class Programs
    ROOT = File.expand_path("../..", __dir__)
    FOLDER = File.join(ROOT, "tmp/bench")
    # @return [Hash{String => Proc}] how a source becomes a program, by its ending
    COMPILERS = {
      ".c" => ->(source, program, libraries) {
        [{}, ENV.fetch("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-o", program, source,
          "-lm", *libraries]
      },
      ".go" => ->(source, program, _) {
        [{"GO111MODULE" => "off"}, "go", "build", "-o", program, source]
      }
    }.freeze

    def self.tool?(name)
      ENV.fetch("PATH").split(":").any? { |folder| File.executable?(File.join(folder, name)) }
    end

    # @param suite [String] its folder's name
    # @param sources [Array<String>] in that folder, with their endings; the programs are called
    #   like them, without
    # @param libraries [Hash{String => Array<String>}] the linker's arguments for a source; where
    #   such a library is missing, its program is, too
    def initialize(suite, *sources, libraries: {})
      @suite = suite
      @libraries = libraries.transform_keys { |source| File.basename(source, ".*") }
      @sources = sources.to_h do |source|
        [File.basename(source, ".*"), File.join(ROOT, "bench", suite, source)]
      end
    end

    # @return [String] where it is
    def program(name) = File.join(FOLDER, "#{@suite}-#{name}")

    # Leaves out programs whose compiler or library is missing; C is always needed.
    def compile
      FileUtils.mkdir_p(FOLDER)
      @sources.each do |name, source|
        next if source.end_with?(".go") && !Programs.tool?("go")
        if FileUtils.uptodate?(program(name),
          [source, *Dir[File.join(File.dirname(source), "*.h")]])
          next
        end

        next if build(source, program(name), @libraries.fetch(name, [])) || @libraries.key?(name)

        abort "bench:#{@suite}: #{source} does not compile: it needs a compiler, and Linux"
      end
    end

    private

    def build(source, program, libraries)
      system(*COMPILERS.fetch(File.extname(source)).call(source, program, libraries))
    end
  end
end
