# frozen_string_literal: true

require "json"
require "rbconfig"

module Mutate
  # Runs tests once in a workspace, with a time limit, and ends all processes that they began.
  class Attempt
    # @!attribute state [Symbol] :passed, :failed, :timeout, or :broken when no test could run
    # @!attribute test [String, nil] Class#name of the first failure
    Outcome = Data.define(:state, :test, :seconds, :output)

    # Limit of a process's data: a mutant can allocate without end.
    MEMORY = 6 << 30
    GRACE = 2

    # Runs them at once; as {#initialize}.
    # @return [Outcome]
    def self.call(...) = new(...).call

    # @param workspace [Workspace]
    # @param files [Array<String>]
    # @param names [Array<String>, nil] Class#name of each test to run, nil for all of the files
    # @param limit [Numeric] seconds
    # @param script [String] that runs them
    # @param environment [Hash{String => String}] for the script, beside what each gets
    def initialize(workspace, files, limit:, names: nil, script: "child.rb", environment: {})
      @workspace = workspace
      @files = files
      @limit = limit
      @names = names
      @script = script
      @environment = environment
      @report = File.join(workspace.root, "failure.json")
      @log = File.join(workspace.root, "attempt.log")
    end

    # @return [Outcome]
    def call
      FileUtils.rm_f(@report)
      started = now
      status = wait(start)
      outcome(status, now - started)
    ensure
      sweep
      @workspace.clean
    end

    private

    def start
      names = @names ? ["-n", "/\\A(?:#{Regexp.union(@names).source})\\z/"] : []
      root = @workspace.root
      spawn(environment, RbConfig.ruby, "-I#{root}/lib", "-I#{root}/test",
        "#{root}/script/mutate/#{@script}", *@files, *names, chdir: root, pgroup: true,
        in: File::NULL, out: @log, err: %i[child out], rlimit_data: MEMORY)
    end

    def environment
      {"TMPDIR" => @workspace.scratch, "RAFFIA_FAILURE" => @report, "RAFFIA_RESULTS" => nil,
       "RAFFIA_TEST_STRICT" => nil, "RAFFIA_TEST_LIMIT" => [@limit, 60].min.to_i.to_s,
       **@environment}
    end

    # @return [::Process::Status, nil] nil after the limit
    def wait(pid)
      waiter = ::Process.detach(pid)
      ended = waiter.join(@limit)
      kill(:KILL, -pid)
      waiter.join
      waiter.value if ended
    end

    # Processes that left the group, found by the path in their environment.
    def sweep
      mark = "RAFFIA_FAILURE=#{@report}\0"
      Dir.glob("/proc/[0-9]*/environ").each do |file|
        kill(:KILL, file[/\d+/].to_i) if File.binread(file).include?(mark)
      rescue SystemCallError
        next # it ended, or is another user's
      end
    end

    def kill(signal, pid)
      ::Process.kill(signal, pid)
    rescue Errno::ESRCH
      nil
    end

    def outcome(status, seconds)
      output = File.read(@log, encoding: "UTF-8").scrub
      return Outcome.new(:timeout, nil, seconds, output) if status.nil?
      return Outcome.new(:passed, nil, seconds, output) if status.success?
      return Outcome.new(:broken, nil, seconds, output) unless File.exist?(@report)

      Outcome.new(:failed, JSON.parse(File.read(@report)).fetch("test"), seconds, output)
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end
