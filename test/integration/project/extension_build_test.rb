# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "tmpdir"

# The effect of CONTRIBUTING.md's variables on the extension's build.
class ExtensionBuildTest < Raffia::TestCase
  EXTCONF = File.expand_path("../../../ext/raffia/extconf.rb", __dir__)

  def test_sanitizers
    flags = configure({"RAFFIA_SANITIZE" => "1"})
    assert_includes flags.fetch("CFLAGS"), "-fsanitize=address,undefined"
    assert_includes flags.fetch("ldflags"), "-fsanitize=address,undefined"
    # With flags that the compiler refuses, every probe says no.
    assert_includes flags.fetch("CPPFLAGS"), "-DHAVE_EVENTFD" if RUBY_PLATFORM.include?("linux")
  end

  private

  # @return [Hash{String => String}] the variables of the Makefile
  def configure(environment)
    Dir.mktmpdir do |folder|
      out, status = Open3.capture2e(environment, RbConfig.ruby, EXTCONF, chdir: folder)
      assert_predicate status, :success?, out
      File.readlines("#{folder}/Makefile")
        .filter_map { |line| line.chomp.split(/\s*=\s*/, 2) if line.match?(/\A\w+\s*=/) }.to_h
    end
  end
end
