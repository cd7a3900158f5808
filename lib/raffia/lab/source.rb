# frozen_string_literal: true

require_relative "../base/error"
require_relative "../base/ractor_local"
require_relative "user_experiment"
require_relative "definition"

module Raffia
  module Lab
    # A user's file of experiments.
    module Source
      HINT = "add Raffia::Lab.experiment \"name\" do ... end (raffia lab new NAME writes one to " \
        "start from)"

      extend self

      # Whether a word of the command line is a file, and not an experiment.
      def file?(word) = word.end_with?(".rb") || word.include?("/")

      # The experiments in the order of the file. Raises ConfigError when it cannot be read, raises,
      # or defines nothing.
      def load(path)
        raise ConfigError, "there is no file #{path}" unless File.file?(path)
        full = File.expand_path(path)
        found = collect(path, full)
        raise ConfigError, "#{path} defines no experiment: #{HINT}" if found.empty?
        found
      end

      # Defines an experiment in the file that is being loaded (see {Lab.experiment}).
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

      private

      # Files that are being loaded, the innermost last, with the experiments of each so far.
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

      # The file, with the line that was executing.
      def place(path, full, error)
        line = error.backtrace_locations&.find { |location| location.absolute_path == full }&.lineno
        [path, line].compact.join(":")
      end
    end
  end
end
