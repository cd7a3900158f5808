# frozen_string_literal: true

require_relative "../base/error"
require_relative "../base/ractor_local"
require_relative "user_experiment"
require_relative "definition"

module Raffia
  module Lab
    # A file of experiments of one's own.
    module Source
      HINT = "add Raffia::Lab.experiment \"name\" do ... end (raffia lab new NAME writes one to " \
        "start from)"

      module_function

      # @param word [String] from the command line
      # @return [Boolean] whether it names a file, and not an experiment
      def file?(word) = word.end_with?(".rb") || word.include?("/")

      # @param path [String]
      # @return [Array<UserExperiment>] in the order of the file
      # @raise [ConfigError] when there is no such file, when it raises, or when it defines nothing
      def load(path)
        raise ConfigError, "there is no file #{path}" unless File.file?(path)
        full = File.expand_path(path)
        found = collect(path, full)
        raise ConfigError, "#{path} defines no experiment: #{HINT}" if found.empty?
        found
      end

      # Defines an experiment, for Lab.experiment with a block.
      #
      # @return [UserExperiment]
      # @raise [ConfigError]
      def define(name, &block)
        full, found = open.last ||
          raise(ConfigError, "an experiment is defined in a file that raffia lab run loads: " \
            "raffia lab run ./FILE.rb")
        said = Definition.read(name, &block)
        if found.any? { |other| other.name == said[:name] }
          raise ConfigError, "the file defines #{said[:name]} twice"
        end
        UserExperiment.new(said, full).tap { |experiment| found << experiment }
      rescue ConfigError => error
        raise error.exception("#{name}: #{error.message}")
      end

      # The files that are being loaded, the innermost last: each with what it has defined so far.
      def open = RactorLocal.fetch(:raffia_lab_source) { [] }

      def collect(path, full)
        open.push([full, []])
        Kernel.load(full)
        open.last.last
      rescue SyntaxError => error
        raise ConfigError, "#{path} is no Ruby program: " \
          "#{error.message.lines.map(&:strip).reject(&:empty?).first(4).join(" ")}"
      rescue ConfigError => error
        raise ConfigError, "#{place(path, full, error)}: #{error.message}"
      rescue StandardError, ScriptError, SystemExit, SystemStackError => error
        raise ConfigError, "#{place(path, full, error)} raised #{error.class}: " \
          "#{error.message.lines.first&.chomp}"
      ensure
        open.pop
      end

      # @return [String] the file, with the line of it that was at work
      def place(path, full, error)
        line = error.backtrace_locations&.find { |location| location.absolute_path == full }&.lineno
        [path, line].compact.join(":")
      end

      private_class_method :open, :collect, :place
    end
  end
end
