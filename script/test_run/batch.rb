# frozen_string_literal: true

require "json"
require "rbconfig"
require "tempfile"

module TestRun
  ROOT = File.expand_path("../..", __dir__)
  MINITEST = [RbConfig.ruby, "-I#{ROOT}/lib", "-I#{ROOT}/test", "#{ROOT}/script/minitest.rb"].freeze

  # A few test files that one process runs. A process of its own for each batch keeps its heap
  # small: forks, GC.stress and compaction cost by the size of the heap.
  class Batch
    attr_reader :name, :files

    # @param name [String] what is shown
    # @param files [Array<String>]
    # @param arguments [Array<String>] options of minitest
    def initialize(name, files, arguments = [])
      @name = name
      @files = files
      @arguments = arguments
    end

    # Starts the process.
    # @return [Integer] its pid
    def start
      @results = Tempfile.new("raffia-results")
      @log = Tempfile.new("raffia-tests")
      @pid = spawn({"RAFFIA_RESULTS" => @results.path}, *MINITEST, *@files, *@arguments,
        in: File::NULL, out: @log.path, err: %i[child out])
    end

    # @param status [Process::Status]
    # @return [void]
    def ended(status)
      @status = status
      @lines = @results.readlines.map { |line| JSON.parse(line, symbolize_names: true) }
      @output = @log.read
      [@results, @log].each(&:close!)
    end

    # Ends it after Ctrl-C, which a test may have taken for its own.
    # @return [void]
    def stop
      Process.kill(:TERM, @pid)
      Process.wait(@pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil # it has ended
    end

    # @return [Boolean]
    def passed? = @status.success? && finished?

    # @return [Boolean] whether all of its tests ran
    def finished? = !totals.nil?

    # @return [Hash, nil] counts:, seconds: by file, cpu:
    def totals = @lines.find { |line| line[:kind] == "totals" }

    # @return [Array<Hash>] file:, name:, reason: of each test that failed
    def failed = @lines.select { |line| line[:kind] == "failed" }

    # @return [Array<Hash>] file:, name:, reason: of each test that was skipped
    def skipped = @lines.select { |line| line[:kind] == "skipped" }

    # @return [String] what the process printed
    attr_reader :output
  end
end
