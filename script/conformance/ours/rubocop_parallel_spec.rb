# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "tmpdir"

# Added to the command of the examples below.
module ParallelOverLib
  ON_RAFFIA = ENV.key?("RAFFIA_BACKEND")
  CONFIGURATION = <<~YAML
    AllCops: {DisabledByDefault: true, SuggestExtensions: false, NewCops: disable}
    Layout: {Enabled: true}
  YAML
  # Each process says which it is as it inspects a file, and where its `Parallel` comes from.
  PROBE = <<~'RUBY'
    module Probe
      NAME = ENV.fetch("PROBE")
      PARENT = Process.pid

      def file_offenses(file)
        workers = (Process.pid == PARENT) ? "parent" : "worker"
        file_of_parallel = Parallel.method(:each).source_location.first
        File.write(NAME, "#{workers} #{Process.pid} #{file_of_parallel}\n", mode: "a")
        super
      end
    end
    RuboCop::Runner.prepend(Probe)
  RUBY
  # A cop that fails, in one file.
  FAILS = <<~RUBY
    class RuboCop::Cop::Lint::Fails < RuboCop::Cop::Base
      def on_new_investigation
        raise "it fails here" if processed_source.file_path.end_with?("json_formatter.rb")
      end
    end
  RUBY
end

# `rubocop --parallel` over RuboCop's own source, as a command: what it prints and what it corrects
# is what it does without workers. On Raffia the layer stands in for the gem parallel.
RSpec.describe "rubocop --parallel over a real source tree" do
  around { |example| Dir.mktmpdir { |dir| @dir = dir and example.run } }

  # @return [Array] what it printed, its status, and who inspected: [kind, pid, file of Parallel]
  def rubocop(name, *arguments, extra: nil)
    file("configuration.yml", ParallelOverLib::CONFIGURATION)
    probe = file("probe.rb", [ParallelOverLib::PROBE, extra].join("\n"))
    log = file(name, "")
    env = {"PROBE" => log, "PARALLEL_PROCESSOR_COUNT" => "3",
           "RUBYOPT" => "#{ENV["RUBYOPT"]}#{layer if ParallelOverLib::ON_RAFFIA}"}
    command = [RbConfig.ruby, "exe/rubocop", "--config",
      file("configuration.yml", ParallelOverLib::CONFIGURATION),
      "--require", probe, "--cache-root", File.join(@dir, "cache-#{name}"), *arguments]
    output, status = Open3.capture2e(env, *command, stdin_data: "")
    [output, status.exitstatus, File.readlines(log, chomp: true).map { |line| line.split(" ", 3) }]
  end

  # Makes a program that requires the gem parallel use Raffia.
  def layer
    file = $LOADED_FEATURES.find { |feature| feature.end_with?("/raffia/compat/parallel.rb") }
    " -I#{File.expand_path("../..", File.dirname(file))} -rraffia/compat"
  end

  def file(name, text) = File.join(@dir, name).tap { |path| File.write(path, text) }

  def expect_workers(seen, files)
    expect(seen.size).to eq(files)
    expect(seen.map(&:first).uniq).to eq(["worker"])
    expect(seen.map { |one| one[1] }.uniq.size).to be_between(2, 3)
    expect(seen.map(&:last)).to all(include(ParallelOverLib::ON_RAFFIA ? "raffia/compat/parallel" :
      "gems/parallel-"))
  end

  def without_times(json)
    JSON.parse(json.lines.last).tap { |report| report["summary"].delete("run_time") }
  end

  it "reports the offenses of the whole of lib, in the same order" do
    cops = "Layout/LineLength,Layout/HashAlignment,Layout/IndentationWidth,Layout/EmptyLines"
    arguments = ["--only", cops, "--format", "json", "lib"]
    serial, status, alone = rubocop("serial", "--no-parallel", *arguments)
    parallel, likewise, workers = rubocop("parallel", "--parallel", *arguments)
    expect(without_times(parallel)).to eq(without_times(serial))
    expect(likewise).to eq(status)
    expect(without_times(serial)["files"].size).to be > 800
    expect(alone.map(&:first).uniq).to eq(["parent"])
    expect_workers(workers, alone.size)
  end

  it "corrects the same files in the same way" do
    trees = %w[--no-parallel --parallel].map do |how|
      tree = File.join(@dir, how, "formatter")
      FileUtils.mkdir_p(tree)
      FileUtils.cp_r(Dir["lib/rubocop/formatter/*.rb"], tree)
      files = Dir["#{tree}/*.rb"].sort
      files.each do |path|
        File.write(path, File.read(path).gsub(/^  +/, "   ").gsub(" = ", "="))
      end
      output, status, = rubocop("log#{how}", how, "-A", "--format", "simple", tree)
      [output.gsub(how, ""), status, files.map { |path| [File.basename(path), File.read(path)] }]
    end
    expect(trees.last).to eq(trees.first)
    expect(trees.first.first).to match(/\d{3,} offenses detected, \d{3,} offenses corrected/)
  end

  it "says which cop failed in which file, and inspects the others" do
    arguments = ["--only", "Lint/Fails,Layout", "--format", "offenses", "lib/rubocop/formatter"]
    serial, status, alone = rubocop("serial", "--no-parallel", *arguments,
      extra: ParallelOverLib::FAILS)
    parallel, likewise, workers = rubocop("parallel", "--parallel", *arguments,
      extra: ParallelOverLib::FAILS)
    # With workers RuboCop loses the list of errors that it prints at the end.
    said = [serial, parallel].map { |output| output[/^--$.*?^$/m] }
    expect(said.last).to eq(said.first)
    expect(said.first).to match(/^\d{2,}  Total in \d+ files$/)
    expect(likewise).to eq(status)
    error = %r{^An error occurred while Lint/Fails cop was inspecting .*json_formatter.rb\.$}
    expect([serial, parallel]).to all(match(error))
    expect_workers(workers, alone.size)
  end
end
