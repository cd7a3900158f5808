# frozen_string_literal: true

module Conformance
  # The work of one process of a suite, handed over as a file (by Marshal, because the child may
  # load no gem for it).
  class Plan
    # @param checkout [String] the folder with the suite's files
    # @param only [Array<String>, nil] the tests to run; nil: all
    def initialize(suite, mode, checkout, record, only: nil)
      @suite = suite
      @mode = mode
      @folder = File.join(checkout, suite.folder)
      @record = record
      @only = only
    end

    attr_reader :folder

    # @param done [Array<String>] tests that an earlier process of this run has begun
    def write(path, done)
      File.binwrite(path, Marshal.dump(to_h.merge("done" => done)))
      path
    end

    def to_h
      {"framework" => @suite.framework, "mode" => @mode, "wrap" => @suite.wrap,
       "record" => @record, "only" => @only, "never" => @suite.never.keys, "stubs" => @suite.stubs,
       "before" => @suite.before, "layer" => @suite.layer, "options" => @suite.options,
       "load" => load_path, "files" => files}
    end

    # The mode is a back end of ours, or none.
    def env = Suite::RAFFIA_MODES.include?(@mode) ? {"RAFFIA_BACKEND" => @mode} : {}

    OURS = File.expand_path("ours", __dir__)

    # Files of the suite that this machine needs in another form, and ours beside them.
    def prepare
      @suite.ours.each { |file, source|
        FileUtils.cp(File.join(OURS, source), File.join(@folder, file))
      }
      @suite.overrides.each do |file, text|
        path = File.join(@folder, file)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
      end
      @suite.edits.each { |file, changes| edit(file, changes) }
    end

    private

    def edit(file, changes)
      path = File.join(@folder, file)
      text = File.read(path)
      changes.each do |old, new|
        raise Error, "suite #{@suite.name}: #{file} has no #{old.inspect}" unless text.include?(old)

        text = text.gsub(old) { new }
      end
      File.write(path, text)
    end

    def load_path
      [*@suite.load_path.map { |dir| File.expand_path(dir, @folder) }, File.join(ROOT, "lib")]
    end

    def files
      found = Dir.glob(@suite.files, base: @folder) - Dir.glob(@suite.without, base: @folder)
      if found.empty?
        raise Error,
          "suite #{@suite.name}: no file matches #{@suite.files.join(", ")}"
      end

      found.sort
    end
  end
end
