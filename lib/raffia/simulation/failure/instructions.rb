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
        def initialize(failure, seed)
          @failure = failure
          @seed = seed
        end

        def lines
          lines = ["run it again:"]
          lines << "  RAFFIA_SEED=#{@seed} #{command}" if @seed
          lines << "  RAFFIA_SCHEDULE=#{schedule} #{command}"
          [lines.join("\n")]
        end

        private

        def command
          [(::File.executable?($PROGRAM_NAME) ? nil : "ruby"), $PROGRAM_NAME, *ARGV].compact
            .shelljoin
        end

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
