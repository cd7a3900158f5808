# frozen_string_literal: true

module Conformance
  module Source
    # A gem that ships its tests: `gem fetch` by name and version.
    class RubyGems
      # The set-up's variables point to a bundle that the suites are none of. Commands are this
      # Ruby's.
      VARIABLES = %w[GEM_HOME GEM_PATH RUBYOPT RUBYLIB BUNDLE_GEMFILE].freeze
      CLEAN = VARIABLES.to_h { |name| [name, nil] }
        .merge("PATH" => "#{RbConfig::CONFIG["bindir"]}:#{ENV["PATH"]}").freeze

      def initialize(entry, _cache)
        @name = entry["gem"]
        @version = entry["version"].to_s
      end

      def fetch(folder)
        gem("fetch", @name, "--version", @version, chdir: folder)
        gem("unpack", "#{@name}-#{@version}.gem", chdir: folder)
        content = File.join(folder, "#{@name}-#{@version}")
        Dir.children(content).each { |child| FileUtils.mv(File.join(content, child), folder) }
      end

      private

      def gem(*arguments, chdir:)
        Source.command(RbConfig.ruby, "-S", "gem", *arguments, env: CLEAN, chdir: chdir)
      end
    end
  end
end
