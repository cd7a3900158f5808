# frozen_string_literal: true

module Bench
  # The gems of the other targets. They need not be in the bundle: RAFFIA_BENCH_GEMS names a folder
  # to which they were installed with
  #
  #     gem install --install-dir FOLDER async carbon_fiber itsi-scheduler evt parallel \
  #       concurrent-ruby
  #
  # and without it they are looked for where Ruby finds its gems anyway.
  class Gems
    def initialize(folder, targets, related = [])
      @folder = folder && File.expand_path(folder)
      @versions = find(targets.filter_map(&:gem).uniq + related)
    end

    # @return [Hash{String => String}] their versions
    attr_reader :versions

    def installed?(target) = target.gem.nil? || @versions.key?(target.gem)

    # @return [Hash] for a process that is to find them, and nobody's Bundler
    def env
      # Ruby brings some, too
      path = if @folder
        {"GEM_HOME" => @folder, "GEM_PATH" => [@folder, Gem.default_dir].join(":")}
      else
        {}
      end
      {"RUBYOPT" => nil, "RUBYLIB" => nil, "RUBY_YJIT_ENABLE" => nil, "BUNDLE_GEMFILE" => nil,
       **path}
    end

    private

    # Asks a separate process, because this one may run under Bundler.
    def find(names)
      code = "ARGV.each { |n| s = Gem::Specification.find_all_by_name(n).max_by(&:version) and " \
        "puts n + ' ' + s.version.to_s }"
      IO.popen([env, RbConfig.ruby, "-e", code, *names], err: File::NULL, &:read).lines
        .to_h(&:split)
    end
  end
end
