# frozen_string_literal: true

require "test_helper"
require "raffia"
require_relative "../../support/expected_backends"

# Every contract suite runs on the back ends whose probe says yes. This test holds the probe to the
# kernel's own word.
class ExpectedBackendsTest < Raffia::TestCase
  def test_no_back_end_is_missing
    refused = Raffia::Engine.probe.reject { |found| found[:ok] }
      .to_h { |found| [found[:name], found[:reason]] }
    missing = refused.slice(*TestSupport::ExpectedBackends.list)
    assert_empty(missing, "the kernel has what these back ends need, and their probe says no")
  end

  def test_linux_has_these
    return skip("of Linux") unless RUBY_PLATFORM.include?("linux") && RUBY_ENGINE == "ruby"

    assert_equal(%i[epoll poll select], TestSupport::ExpectedBackends.list - %i[uring kqueue])
  end

  # A kernel that refuses is believed: io_uring_setup fails there for everybody.
  def test_a_refused_ring_is_not_expected
    skip "of Linux on x86_64 and aarch64" unless RUBY_PLATFORM.match?(/\A(x86_64|aarch64)-linux/)
    assert_equal("false", ring?("REFUSE" => "#{TestSupport::ExpectedBackends::IO_URING_SETUP}:1"))
  end

  private

  def ring?(env)
    support = File.expand_path("../../support", __dir__)
    command = [RbConfig.ruby, "-W0", "-r", "#{support}/refuse.rb", "-r",
      "#{support}/expected_backends.rb"]
    IO.popen([env, *command, "-e", "print TestSupport::ExpectedBackends.io_uring?"], &:read)
  end
end
