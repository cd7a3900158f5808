# frozen_string_literal: true

require "digest"

module Conformance
  # The gems that a suite needs, resolved by Bundler for itself; the installed ones are shared by
  # all suites.
  class Gems
    def initialize(suite, cache)
      @suite = suite
      @cache = cache
    end

    # @return [Hash{String => String}] the variables under which a Ruby sees these gems
    def env
      folder = @cache.folder("bundles", "#{@suite.name}-#{RUBY_VERSION}-#{digest}") { |dir|
        install(dir)
      }
      variables(folder)
    end

    private

    def gemfile
      lines = @suite.gems.map { |name, requirement|
        "gem #{name.inspect}, #{requirement.to_s.inspect}, require: false"
      }
      asynchronous = @suite.modes.include?("async") && !@suite.gems.key?("async")
      lines << 'gem "async", require: false' if asynchronous
      ['source "https://rubygems.org"', *lines, ""].join("\n")
    end

    def digest = Digest::SHA256.hexdigest(gemfile)[0, 12]

    def install(folder)
      File.write(File.join(folder, "Gemfile"), gemfile)
      Source.command(RbConfig.ruby, "-S", "bundle", "install", "--quiet", "--retry", "3",
        env: variables(folder), chdir: folder)
    end

    def variables(folder)
      Source::RubyGems::CLEAN.merge("BUNDLE_GEMFILE" => File.join(folder, "Gemfile"),
        "BUNDLE_PATH" => @cache.path("gems"), "BUNDLE_APP_CONFIG" => File.join(folder, ".bundle"),
        "BUNDLE_JOBS" => "2", "BUNDLE_FROZEN" => nil, "BUNDLE_WITHOUT" => nil)
    end
  end
end
