# frozen_string_literal: true

require "digest"
require "fileutils"
require "rbconfig"
require_relative "../harness/wrong"

module RailsBench
  # A Rails application as `rails new` makes it, with two models and their controllers, in the
  # user's cache.
  module Application
    ROOT = File.expand_path("../..", __dir__)
    RAILS = "8.1.3.1"
    GEMS = %w[pg falcon].freeze
    FILES = File.join(__dir__, "files")
    MADE = ".made"

    module_function

    # @return [String] the folder
    def folder = File.join(cache, "shop-#{RUBY_VERSION}-#{digest}")

    # Makes it, unless it is there.
    # @return [void]
    def prepare
      return if File.exist?(File.join(folder, MADE))

      warn "bench:rails: making the application in #{folder}: some minutes, once"
      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(cache)
      run(*gem("install", "--no-document", "--install-dir", gems, "rails:#{RAILS}"), chdir: cache)
      run(RbConfig.ruby, "#{gems}/bin/rails", "new", folder, "--skip-git", "--quiet", chdir: cache)
      complete
      File.write(File.join(folder, MADE), "")
    end

    # @return [Hash{String => String, nil}] for each process of the application
    def env
      {"GEM_HOME" => gems, "GEM_PATH" => "#{gems}:#{Gem.default_dir}",
       "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_PATH" => nil,
       "RUBYOPT" => nil, "RUBYLIB" => nil, "RAILS_ENV" => "production",
       "SECRET_KEY_BASE" => "0" * 64, "RAILS_LOG_LEVEL" => "warn",
       "SOLID_QUEUE_IN_PUMA" => nil,
       "PATH" => "#{File.dirname(RbConfig.ruby)}:#{ENV.fetch("PATH")}"}
    end

    # @return [void]
    def run(*command, chdir: folder, more: {})
      log = "#{cache}/log"
      if system(env.merge(more), *command, chdir:, in: File::NULL, out: log, err: %i[child out])
        return
      end

      raise Bench::Wrong, "#{command.join(" ")} failed: #{File.readlines(log).last(5).join}"
    end

    def complete
      File.write("#{folder}/Gemfile", GEMS.map { |name| "gem #{name.inspect}\n" }
        .join + "gem \"raffia\", path: #{ROOT.inspect}\n", mode: "a")
      FileUtils.cp_r("#{FILES}/.", folder)
      run(*gem("install", "--no-document", "--install-dir", gems, "bundler"))
      run("bundle", "install", "--jobs", "2")
      %w[db:prepare assets:precompile].each { |task| run("bin/rails", task) }
    end

    def gem(*arguments) = [RbConfig.ruby, "-S", "gem", *arguments]
    def gems = File.join(cache, "gems-#{RUBY_VERSION}")

    def cache
      File.join(ENV.fetch("XDG_CACHE_HOME") { File.join(Dir.home, ".cache") }, "raffia/bench-rails")
    end

    def digest
      Digest::SHA256.hexdigest([ROOT, RAILS,
        *Dir["#{FILES}/**/*"].select { |path| File.file?(path) }.sort
          .map { |path| File.read(path) }].join)[0, 10]
    end
  end
end
