# frozen_string_literal: true

require_relative "child_process"

module Conformance
  # One suite in one mode. A test that hangs, or takes its process with it, is named; a fresh
  # process goes on after it.
  class Run
    # More broken processes than this say that the suite as a whole does not work so.
    RESTARTS = 15

    Outcome = Struct.new(:mode, :results, :notes, :seconds) do
      def count(*statuses) = results.count { |_, result| statuses.include?(result.status) }

      def status(name) = results[name]&.status
    end

    # @param env [Hash{String => String}] the suite's gems and servers
    # @param work [String] a folder for its files
    def initialize(suite, mode, checkout, env, work, only: nil)
      @suite = suite
      @mode = mode
      @work = work
      @record = Record.new(File.join(work, "#{mode}.record"))
      @plan = Plan.new(suite, mode, checkout, @record.path, only: only)
      @env = env.merge(suite.env, @plan.env)
      @ended = {}
      @notes = []
    end

    # @return [Outcome]
    def call
      @started = now
      FileUtils.rm_f([@record.path, log])
      @plan.prepare
      (RESTARTS + 1).times do |number|
        verdict = process.call(@started + @suite.limit)
        break if verdict == :done
        break @notes << "over its limit of #{@suite.limit} s" if verdict == :over
        break @notes << "ended outside of a test: #{last_words}" unless note(verdict)
        break @notes << "given up after #{RESTARTS} broken processes" if number == RESTARTS
      end
      Outcome.new(@mode, results, @notes, (now - @started).round(1))
    end

    def log = File.join(@work, "#{@mode}.log")

    private

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

    # The last output of the process, without the frames of a backtrace.
    def last_words
      lines = File.exist?(log) ? File.readlines(log, chomp: true).reject { |line|
        line.strip.empty? || line.start_with?("\tfrom")
      } : []
      lines.last(2).join(" ").scrub[0, 200]
    end

    def process
      plan = @plan.write(File.join(@work, "#{@mode}.plan"), @record.results.keys)
      ChildProcess.new(@record, @suite.test_limit, plan: plan, folder: @plan.folder, env: @env,
        log: log)
    end

    # @return [String, nil] the test that the process ended in
    def note(verdict)
      name = @record.running
      @ended[name] = verdict if name
      name
    end

    def results
      @record.results.to_h do |name, result|
        result.status ||= (@ended[name] == :hung) ? "hung" : "died"
        [name, result]
      end
    end
  end
end
