# frozen_string_literal: true

module Conformance
  # An application: made once in the cache, copied for each server. A kind says: NAME, GEMS (of the
  # generator), generate(folder), pages (paths that are asked once), write(client) (one write; true
  # when it was acknowledged), written(client) (how many there are); and, if its pages are for
  # browsers, visit(visitor) (what a person does there, which leaves nothing behind) and
  # note(visitor, number) (one write by a person).
  class App
    COPIES = "apps-work"

    def initialize(cache)
      @cache = cache
    end

    def name = self.class::NAME

    # Whether a browser has anything to do there.
    def visited? = respond_to?(:visit)

    # The version of the generator, and so of the application.
    def version = self.class::GEMS.first.last

    # A fresh copy.
    # @return [String] its folder
    def copy(server)
      made = @cache.folder("apps", "#{name}-#{version}-#{RUBY_VERSION}") { |folder|
        generate(folder)
      }
      target = @cache.path(COPIES, "#{name}-#{server}")
      FileUtils.rm_rf(target)
      FileUtils.mkdir_p(File.dirname(target))
      FileUtils.cp_r(made, target, preserve: true) # Last-Modified is the same, too
      target
    end

    def env(folder)
      production = %w[RAILS_ENV RACK_ENV HANAMI_ENV].to_h { |name| [name, "production"] }
      clean.merge(production, "BUNDLE_GEMFILE" => File.join(folder, "Gemfile"),
        "SECRET_KEY_BASE" => "0" * 64, "SESSION_SECRET" => "0" * 64, "RAILS_LOG_LEVEL" => "warn")
    end

    private

    def clean
      Source::RubyGems::CLEAN.merge("BUNDLE_PATH" => @cache.path("gems"),
        "BUNDLE_WITHOUT" => "development:test", "BUNDLE_FROZEN" => nil,
        "BUNDLE_JOBS" => "2", "RAILS_ENV" => nil, "RACK_ENV" => nil)
    end

    # The generator's own gems, in a folder of their own: the application has none yet.
    def tool(program, *arguments, chdir:)
      home = @cache.folder("tools",
        "#{self.class::GEMS.keys.first}-#{version}-#{RUBY_VERSION}") do |folder|
        self.class::GEMS.each do |gem, requirement|
          Source.command(RbConfig.ruby, "-S", "gem", "install", gem, "--version", requirement,
            "--no-document", "--install-dir", folder,
            env: Source::RubyGems::CLEAN, chdir: folder)
        end
      end
      env = clean.merge("GEM_HOME" => home, "GEM_PATH" => home,
        "PATH" => "#{home}/bin:#{clean["PATH"]}")
      Source.command(RbConfig.ruby, File.join(home, "bin", program), *arguments, env: env,
        chdir: chdir)
    end

    # Adds Raffia, and Puma where it is missing, as a person does.
    def add_servers(folder)
      gemfile = File.join(folder, "Gemfile")
      text = File.read(gemfile)
      text += "\ngem \"puma\", \">= 6\"\n" unless text.match?(/gem ["']puma["']/)
      File.write(gemfile, "#{text}\ngem \"raffia\", path: #{ROOT.inspect}\n")
      bundle(folder, "install", "--quiet")
    end

    def bundle(folder, *arguments)
      Source.command(RbConfig.ruby, "-S", "bundle", *arguments, env: env(folder), chdir: folder)
    end
  end
end
