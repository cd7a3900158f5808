# frozen_string_literal: true

require "etc"
require "open3"
require_relative "source/debian"
require_relative "source/git"
require_relative "source/rubygems"

module Conformance
  # Sources of tests. Each kind puts one version of a project's files into a folder.
  module Source
    KINDS = {"gem" => RubyGems, "debian" => Debian, "git" => Git}.freeze

    # @return [String] the folder with the files, fetched once
    # @raise [Error] if they cannot be had
    def self.fetch(entry, cache)
      kind, name = entry.find { |key, _| KINDS.key?(key) }
      raise Error, "tests: names none of #{KINDS.keys.join(", ")}" unless kind

      version = entry["version"] || entry["tag"]
      label = "#{File.basename(name)}-#{version}".gsub(/[^\w.+-]/, "_")
      cache.folder("sources", kind, label) { |folder| KINDS[kind].new(entry, cache).fetch(folder) }
    end

    # @return [String] what the command printed
    # @raise [Error] with the last lines of that, if it failed
    def self.command(*command, env: {}, chdir: Dir.pwd)
      output, status = Open3.capture2e(env, *command, chdir: chdir, stdin_data: "")
      return output if status.success?

      raise Error, "#{command.first(4).join(" ")} failed:\n#{output.lines.last(6).join}"
    rescue SystemCallError => error
      raise Error, "#{command.first} cannot be run: #{error.message}"
    end
  end
end
