# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "shellwords"
require_relative "../base/error"
require_relative "subprocess"

module Raffia
  module Lab
    # A Ruby other than the lab's own. Its command is program and options; its label is short, and
    # differs from the labels of the others.
    class Interpreter < Data.define(:command, :label, :version, :description, :yjit)
      OURS = {"GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYLIB" => nil}.freeze

      # Examines programs, each perhaps with options: "/opt/ruby-3.4/bin/ruby --yjit".
      # Raises ConfigError for one that is no Ruby, too old, or has no extension.
      def self.all(list)
        found = list.map { |text| Probe.new(text.strip).call }.uniq
        found.group_by(&:label).each_value do |same|
          next if same.size == 1
          same.each do |each|
            found[found.index(each)] = each.with(label: "#{each.label} (#{each.command.join(" ")})")
          end
        end
        found
      end

      # Changes for its environment: it must not see our gems if they are of another series.
      def environment = series?(version) ? {} : OURS

      private

      def series?(version) = version[/\A\d+\.\d+/] == RUBY_ENGINE_VERSION[/\A\d+\.\d+/]

      # Asks a Ruby about itself.
      class Probe
        MINIMUM = Gem::Version.new("3.3.5")
        # Ruby's own facts come first: a Ruby that is too old cannot even parse Raffia.
        QUESTION = <<~'RUBY'
          require "json"
          facts = {engine: RUBY_ENGINE, version: RUBY_ENGINE_VERSION, ruby: RUBY_VERSION,
                   description: RUBY_DESCRIPTION,
                   yjit: defined?(RubyVM::YJIT.enabled?) ? RubyVM::YJIT.enabled? : false}
          begin
            require "raffia/native"
            facts[:extension] = Raffia::Native.available?
          rescue Exception => error
            facts[:broken] = "#{error.class}: #{error.message.lines.first}".strip
          end
          puts JSON.generate(facts)
        RUBY

        def initialize(text)
          @command = text.shellsplit
          @command[0] = File.expand_path(@command[0]) if @command[0]&.start_with?("~")
          if @command.empty?
            raise ConfigError, "--ruby names no program: use --ruby /path/to/ruby,/path/to/another"
          end
        rescue ArgumentError => error
          raise ConfigError, "--ruby #{text}: #{error.message}"
        end

        def call
          facts = ask
          if Gem::Version.new(facts[:ruby]) < MINIMUM
            refuse("is #{facts[:description]}; Raffia needs Ruby #{MINIMUM} or later")
          end
          if facts[:broken]
            refuse("(#{facts[:description]}) cannot load Raffia: #{facts[:broken]}. #{remedy}")
          end
          if facts[:engine] == "ruby" && !facts[:extension]
            refuse("(#{facts[:description]}) has no extension of Raffia. #{remedy}")
          end
          Interpreter.new(command: @command, label: label(facts),
            **facts.slice(:version, :description, :yjit))
        end

        private

        def name = @command.join(" ")

        def refuse(sentence) = raise(ConfigError, "#{name} #{sentence}")

        def ask
          answer, errors, status = Open3.capture3({"RUBYOPT" => nil, **OURS}, *@command, "-W0",
            "-I", Subprocess::LIB, "-e", QUESTION)
          JSON.parse(answer, symbolize_names: true).tap { |facts| facts.fetch(:ruby) }
        rescue JSON::ParserError, KeyError, TypeError, NoMethodError
          refuse("does not answer as a Ruby does: " \
            "#{errors.strip.lines.first&.strip || "status #{status.exitstatus}"}")
        rescue SystemCallError => error
          refuse("cannot be started: #{error.message}")
        end

        # Rubies that share a checkout have an extension each, built by bin/setup.
        def remedy
          unless File.exist?(File.expand_path("../bin/setup", Subprocess::LIB))
            return "With it: gem install raffia"
          end
          "Build it: RAFFIA_RUBY=#{@command.first} bin/setup"
        end

        def label(facts)
          [(facts[:engine] unless facts[:engine] == "ruby"), facts[:version],
            ("YJIT" if facts[:yjit])].compact.join(" ")
        end
      end
    end
  end
end
