# frozen_string_literal: true

module TestSupport
  # The other supported Ruby, as the set-up has left it: .ci/run tests with both.
  class OtherRuby
    class Missing < StandardError
    end

    ROOT = File.expand_path("../..", __dir__)
    SERIES = {"3.3" => "3.4", "3.4" => "3.3"}.freeze
    QUESTION = "puts RbConfig.ruby, RUBY_VERSION, ENV['GEM_HOME'], ENV['GEM_PATH']"
    # Builds nothing: fails where the Ruby, its gems or the extension would have to be made.
    ASK = "source script/setup/all.sh && ruby_ready && extension_ready && bundle_ready && " \
      "raffia_environment && exec \"$RUBY\" -e \"#{QUESTION}\""

    # @return [OtherRuby]
    # @raise [Missing]
    def self.find
      series = SERIES.fetch(RUBY_VERSION[/\A\d+\.\d+/]) do |mine|
        raise Missing, "Ruby #{mine} has no other one: name it in #{name}"
      end
      environment = {"RAFFIA_RUBY_VERSION" => series, "RAFFIA_RUBY" => nil, "GEM_HOME" => nil,
                     "GEM_PATH" => nil}
      lines = IO.popen(environment, ["bash", "-c", ASK, {chdir: ROOT, err: File::NULL}],
        &:readlines).map(&:chomp)
      return new(*lines) if lines.size == 4

      raise Missing, "Ruby #{series} is not set up beside this one (RAFFIA_RUBY_VERSION=#{series} " \
        "bin/setup)"
    end

    # Where it is, and its version.
    attr_reader :path, :version
    # @return [Hash{String => String}] environment variables
    attr_reader :environment

    def initialize(path, version, home, gems)
      @path = path
      @version = version
      @environment = {"GEM_HOME" => home, "GEM_PATH" => gems}
    end
  end
end
