# frozen_string_literal: true

require "shellwords"
require "tmpdir"
require_relative "../config"

module Raffia
  module Simulation
    class Failure
      # The shell commands that run a failure again: all runs from the seed, and the schedule alone.
      #
      # @api private
      class Instructions
        # The command, run with the gems of this process.
        def self.bundled(command)
          bundled = Raffia::Config.variables.string("BUNDLE_BIN_PATH")
          bundled ? "bundle exec #{command}" : command
        end

        # +command+: nil for that of this process.
        def initialize(failure, seed, command)
          @failure = failure
          @seed = seed
          @command = command
        end

        def lines
          lines = ["run it again:"]
          lines << "  RAFFIA_SEED=#{@seed} #{command}" if @seed
          lines << "  RAFFIA_SCHEDULE=#{schedule} #{command}"
          [lines.join("\n")]
        end

        private

        def command = @command || own_command

        # Linux has the whole command line, with Ruby's options and what ARGV has lost since.
        def own_command
          words = ::File.binread("/proc/self/cmdline").split("\0")
          words[0] = "ruby" if ::File.basename(words[0]).start_with?("ruby")
          return ["bundle", *words.drop(2)].shelljoin if bundle_exec?(words)
          return by_name unless words.include?($PROGRAM_NAME)
          return words.drop(1).shelljoin if words.first(2) == ["ruby", $PROGRAM_NAME] && program?

          self.class.bundled(words.shelljoin)
        rescue ::SystemCallError
          by_name
        end

        def by_name
          words = [$PROGRAM_NAME, *ARGV]
          self.class.bundled((program? ? words : ["ruby", *words]).shelljoin)
        end

        # Bundler loads programs of gems into its own process.
        def bundle_exec?(words)
          ::File.basename(words[1].to_s) == "bundle" && words[2] == "exec"
        end

        # Whether the script is run by its name, such as bin/rails.
        def program? = ::File.executable?($PROGRAM_NAME) && $PROGRAM_NAME.include?("/")

        def schedule
          @failure.schedule.inline? ? @failure.schedule.to_s : file.shellescape
        end

        # Long schedules go into a file, whose name says what is in it.
        def file
          name = format("raffia-%08x.rs1", ::Zlib.crc32(@failure.schedule.to_s))
          path = ::File.join(Config.load.report || ::Dir.tmpdir, name)
          @failure.schedule.save(path)
        end
      end
    end
  end
end
