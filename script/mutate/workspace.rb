# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Mutate
  # A private copy of the checkout, where one mutant at a time is applied. Tests find lib/ beside
  # themselves, therefore the copy is a whole one.
  class Workspace
    WITHOUT = %w[.git coverage pkg].freeze

    # @return [String] the copy's root
    attr_reader :root

    # @return [String] folder for the temporary files of tests
    attr_reader :scratch

    def initialize
      @folder = Dir.mktmpdir("mutate")
      @root = File.join(@folder, "c")
      @scratch = File.join(@folder, "t")
      FileUtils.mkdir_p([@root, @scratch])
      places = (Dir.children(ROOT) - WITHOUT).map { |name| File.join(ROOT, name) }
      FileUtils.cp_r(places, @root, preserve: true)
    end

    # Applies the mutant while the block runs.
    # @param mutant [Mutant]
    def with(mutant)
      path = File.join(@root, mutant.file)
      source = Sources.read(mutant.file)
      File.write(path, mutant.apply(source))
      yield
    ensure
      File.write(path, source)
    end

    # Deletes what tests left in their temporary folder.
    def clean = FileUtils.rm_rf(Dir.children(@scratch).map { |name| File.join(@scratch, name) })

    # Deletes the copy.
    def close = FileUtils.rm_rf(@folder)
  end
end
