# frozen_string_literal: true

require "pty"
require "raffia/jobs"
require_relative "../cli/serve_case"

module Raffia
  # The parent of the tests that start `raffia work` as a user does: real processes, and a store
  # that this process looks into.
  class JobsWorkCase < CLIServeCase
    # Jobs write to files of the folder.
    PROGRAM = <<~'RUBY'
      require "raffia/jobs"

      class Job
        include Raffia::Job

        def say(*words)
          File.write("said", "#{[self.class.name, *words, Process.pid].join(" ")}\n", mode: "a")
        end
      end

      class QuickJob < Job
        def perform(word = "") = say(word)
      end

      # Until the file is there.
      class GateJob < Job
        def perform(gate)
          say("began")
          sleep(0.01) until File.exist?(gate)
          say("done")
        end
      end

      class EndlessJob < Job
        def perform
          say("began")
          sleep
        end
      end

      class DeadlyJob < Job
        def perform
          say("began")
          Process.kill(:KILL, Process.pid)
        end
      end

      # Lets no other job run.
      class HogJob < Job
        def perform
          say("began")
          nil while true
        end
      end

      class GreedyJob < Job
        HOARD = []

        def perform
          say("began")
          HOARD << ("x" * 300_000_000)
        end
      end
    RUBY
    def setup
      super
      need_fork
      script PROGRAM, "jobs.rb"
      @store = Jobs::Store.open(url)
    rescue TestSupport::Server::Missing, MissingDependency => error
      skip error.message
    end

    def teardown
      @store&.close
      super
    end

    # @yieldparam worker [Running] one that has begun to work
    def work(*argv, **options)
      before = identities
      worker = start(EXECUTABLE, "work", "--json", "--store", url, *argv, **options)
      @worker ||= worker
      await("it has not begun") do
        (worker.out.include?("\n") && (identities - before).any?) ||
          (!worker.running? && flunk("it ended: #{worker.ended.inspect}\n#{worker.err}"))
      end
      yield worker
    ensure
      worker&.finish
    end

    def identities = @store.processes.map { |process| process["identity"] }

    # @return [Object] what the block gives at last
    def await(what, &block)
      wait_until(PROCESS_PATIENCE, &block)
    rescue Minitest::Assertion
      flunk("#{what}; it has " \
        "said:\n#{said.map { |line| line.join(" ") }.join("\n")}\n#{@worker&.err}")
    end

    def enqueue(job, *args, **fields)
      @store.enqueue(
        [Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => job, "args" => args,
          **fields.transform_keys(&:to_s)}))]
      ).first
    end

    # @return [Array<Array<String>>] what jobs have said: class, words, pid
    def said
      path = File.join(@dir, "said")
      File.exist?(path) ? File.readlines(path).map(&:split) : []
    end

    # @return [Array<String>] the line that begins with these words
    def await_said(*words, count: 1)
      await("#{words.join(" ")} was not said #{count} times") do
        said.select { |line| line.first(words.size) == words }
          .then { |lines| lines if lines.size >= count }
      end
    end

    def await_counts(**expected)
      await("expected #{expected}, and there are #{@store.counts}") do
        @store.counts.slice(*expected.keys) == expected
      end
    end

    def open_gate(name) = File.write(File.join(@dir, name), "")

    def pids = @store.processes.map { |process| process["pid"].to_i }

    # Waits until one that is not the only one has logged this event.
    def await_line(worker, event)
      await("no #{event} of #{worker.pid}: #{worker.err}") do
        worker.err.include?("\"event\":#{event.to_json}") ||
          (!worker.running? && flunk("it ended: #{worker.err}"))
      end
    end

    # @yieldparam terminal [IO] what is typed
    # @yieldparam pid [Integer] of a process group of its own, in the foreground
    # @yieldparam screen [StringIO] what is printed
    def at_terminal(*argv)
      out, terminal, pid = PTY.spawn(clean({}), RbConfig.ruby, "-I", File.join(ROOT, "lib"),
        EXECUTABLE, *argv, chdir: @dir)
      screen = StringIO.new
      reader = Thread.new do
        IO.copy_stream(out, screen)
      rescue
        nil
      end # rubocop:disable Style/RescueModifier
      yield terminal, pid, screen
    ensure
      ::Process.kill(:KILL, -pid) if states(pid).any?
      ::Process.wait(pid)
      [out, terminal].each(&:close)
      reader.join
    end

    # @return [Array<String>] of the processes of a group that live
    def states(group)
      stats = Dir.glob("/proc/[0-9]*/stat").filter_map do |path|
        File.read(path).rpartition(")").last.split
      rescue SystemCallError
        nil
      end
      stats.select { |stat| stat[2].to_i == group }.map(&:first) - ["Z"]
    end

    # The events of the log.
    def logged(event)
      @worker.err.lines.select { |line| line.include?("\"event\":#{event.to_json}") }
    end
  end
end
