# frozen_string_literal: true

module Conformance
  # One entry of suites/*.yml: where the tests come from, what they need, how they are run.
  #
  #   name:
  #     title: how the table calls it, if not by its name
  #     framework: minitest | rspec | test-unit | megatest | core (Ruby's own runner)
  #     tests: {gem: NAME, version: V}, {debian: SOURCE, version: V, release: R} or
  #       {git: URL, tag: T}
  #     folder: the folder of the checkout to work in
  #     gems: {NAME: REQUIREMENT}, the library first: its version is the one in the table
  #     load: folders for the load path
  #     files: patterns; without: patterns of files that are left out
  #     never: {PATTERN of test names: REASON}, tests that are not run at all
  #     stubs: libraries that are replaced by nothing, such as simplecov
  #     before: Ruby that runs before the files are loaded
  #     layer: the layer of Raffia that stands in for a gem, on Raffia (raffia/compat/NAME)
  #     ours: {FILE: FILE}, files of script/conformance/ours that are put into the folder
  #     overrides: {FILE: TEXT}, files that are replaced; edits: {FILE: {OLD: NEW}}, parts of files
  #     services: servers of script/conformance/services, whose ports are %{NAME} in what follows
  #     env: variables
  #     wrap: test (a scheduler for each test) | suite (one for all)
  #     test_limit, limit: seconds for one test, and for one run of the suite
  #     async: false, with no_async: REASON
  #     quick: true for the selection of CI
  class Suite
    FRAMEWORKS = %w[minitest rspec test-unit megatest core].freeze
    WRAPS = %w[test suite].freeze
    KEYS = %w[title framework tests folder gems load files without never stubs before layer
      ours overrides edits services env wrap test_limit limit async no_async quick options].freeze
    RAFFIA_MODES = %w[uring epoll select].freeze

    attr_reader :name

    # @param entry [Hash{String => Object}]
    # @raise [Error] for a key or value that means nothing
    def initialize(name, entry)
      @name = name
      @entry = entry
      unknown = entry.keys - KEYS
      refuse("unknown #{unknown.join(", ")}") unless unknown.empty?
      refuse("framework is one of #{FRAMEWORKS.join(", ")}") unless FRAMEWORKS.include?(framework)
      refuse("wrap is one of #{WRAPS.join(", ")}") unless WRAPS.include?(wrap)
      refuse("tests: and files: are missing") unless tests && files.any?
    end

    def title = @entry.fetch("title", @name)

    def framework = @entry["framework"]

    def tests = @entry["tests"]

    def folder = @entry.fetch("folder", ".")

    def gems = @entry.fetch("gems", {})

    def load_path = @entry.fetch("load", ["lib", (framework == "rspec") ? "spec" : "test"])

    def files = Array(@entry["files"])

    def without = Array(@entry["without"])

    def never = @entry.fetch("never", {})

    def stubs = Array(@entry["stubs"])

    def before = @entry.fetch("before", "")

    def layer = @entry["layer"]

    def ours = @entry.fetch("ours", {})

    def overrides = @entry.fetch("overrides", {})

    def edits = @entry.fetch("edits", {})

    def services = Array(@entry["services"])

    def env = @entry.fetch("env", {}).transform_values(&:to_s)

    # @return [Suite] the same, with ports and folders of servers for %{NAME}
    def with(facts) = facts.empty? ? self : Suite.new(@name, fill(@entry, facts))

    def wrap = @entry.fetch("wrap", "test")

    def options = Array(@entry["options"])

    # Enough for a machine with other work, too.
    def test_limit = @entry.fetch("test_limit", 30)

    def limit = @entry.fetch("limit", 300)

    def quick? = @entry.fetch("quick", false)

    # @return [Array<String>] what the suite is run as, plain first
    def modes = ["plain", *RAFFIA_MODES, *("async" if @entry.fetch("async", true))]

    # The version in the table, which is the library's.
    def version
      gems.each_value.first.to_s[/\A\d.*/] || (tests["version"] || tests["tag"]).delete_prefix("v")
    end

    private

    def fill(value, facts)
      case value
      when String then Services.put(value, facts)
      when Array then value.map { |one| fill(one, facts) }
      when Hash then value.transform_values { |one| fill(one, facts) }
      else value
      end
    end

    def refuse(message) = raise(Error, "suite #{@name}: #{message}")
  end
end
