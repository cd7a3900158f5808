# frozen_string_literal: true

require "fileutils"
require "zlib"
require_relative "schedule"

module Raffia
  module Simulation
    # A folder of schedules that failed, one file for each program and reason. They run first in the
    # next exploration of the program, so that a mended bug stays mended.
    #
    # @api private
    class Corpus
      # Letters of a program's name in the name of a file.
      LETTERS = 80
      private_constant :LETTERS

      # +program+: name of the program whose schedules these are.
      def initialize(folder, program)
        @folder = folder
        @program = program
        @prefix = format("%<name>s-%<digest>08x",
          name: program.gsub(/[^A-Za-z0-9_.]+/, "_")[0, LETTERS], digest: ::Zlib.crc32(program))
      end

      # Schedules by path.
      def schedules
        ::Dir.children(@folder).sort.filter_map { |name|
          next unless name.start_with?(@prefix) && name.end_with?(".rs1")

          path = ::File.join(@folder, name)
          [path, Schedule.load(path)]
        }.to_h
      rescue ::Errno::ENOENT
        {}
      rescue ::SystemCallError => error
        raise ConfigError, "the corpus #{@folder} cannot be read: #{error.message[/\A[^@]+/].strip}"
      end

      # Keeps the schedule unless a shorter one of this reason is there. Returns the path.
      def add(schedule, reason, error)
        ::FileUtils.mkdir_p(@folder)
        path = ::File.join(@folder, format("%s-%08x.rs1", @prefix, ::Zlib.crc32(reason.inspect)))
        return path if ::File.exist?(path) && shorter?(Schedule.load(path), schedule)

        schedule.save(path, comment: "#{@program}\n#{error.class}: #{error.message.lines.first}")
      rescue ::SystemCallError => error
        raise ConfigError, "the corpus #{@folder} cannot be written: " \
          "#{error.message[/\A[^@]+/].strip}"
      end

      private

      def shorter?(one, other)
        ([one.deviations, one.choices.size] <=> [other.deviations, other.choices.size]) <= 0
      end
    end
  end
end
