# frozen_string_literal: true

root = File.expand_path("..", __dir__)
[File.join(root, "lib"), __dir__].each do |dir|
  $LOAD_PATH.unshift(dir) unless $LOAD_PATH.include?(dir)
end

# Before anything of lib is loaded, or its lines would not be counted.
require_relative "support/coverage" if ENV["RAFFIA_COVERAGE"]

# A shell or nohup starts background jobs with these ignored, and programs that tests interrupt
# would inherit it.
%w[HUP INT QUIT].each { |signal| Signal.trap(signal, "DEFAULT") }

gem "minitest", "~> 5.25"
require "minitest/autorun"
require_relative "support/leaks"
require_relative "support/watchdog"
require_relative "support/results" if ENV["RAFFIA_RESULTS"]

module Raffia
  # The parent of every test of this repository.
  class TestCase < Minitest::Test
    include TestSupport::Leaks

    # How long a test may wait for something that should come at once. Large, because it only ends a
    # test that fails.
    PATIENCE = 30

    def run
      TestSupport::WATCHDOG.begin("#{self.class}##{name}")
      super
    ensure
      TestSupport::WATCHDOG.end
    end

    # @param script [String] a program, run by this Ruby in a process of its own
    # @return [String] what it printed
    def output_of(script)
      IO.popen([RbConfig.ruby, "-W0", "-I", File.expand_path("../lib", __dir__), "-e",
        script], &:read)
    end

    # The block is refused by a ConfigError.
    # @param message [String, Regexp] all of what it says, or a part
    def assert_refused(message, &)
      error = assert_raises(Raffia::ConfigError, &)
      if message.is_a?(Regexp)
        assert_match(message, error.message)
      else
        assert_equal(message, error.message)
      end
    end

    # Containers may be without /dev/pts.
    def need_terminals
      require "pty"
      PTY.open { nil }
    rescue RuntimeError => error
      skip "no pseudo terminals here: #{error.message}"
    end

    # Containers may be without /etc/hosts.
    def need_localhost
      require "socket"
      Addrinfo.getaddrinfo("localhost", nil)
    rescue SocketError => error
      skip "localhost is not known here: #{error.message}"
    end

    def need_fork = (skip "this Ruby has no fork" unless ::Process.respond_to?(:fork))

    def need_ractors = (skip "this Ruby has no Ractors" unless defined?(::Ractor))

    # @param what [String] it is about, which other Rubies do in other ways
    def need_cruby(what) = (skip "#{what}: of CRuby" unless RUBY_ENGINE == "ruby")

    # @return [Boolean] whether no server listens there any more; what was accepted before may go on
    def refused?(port)
      TCPSocket.new("127.0.0.1", port).close
      false
    rescue Errno::ECONNREFUSED, Errno::ECONNRESET
      true
    end

    # Wait until the block is truthy, and return what it gave; fail when it is not so after
    # +timeout+ seconds. The one place that naps: a test waits for a named condition, never for an
    # amount of time.
    def wait_until(timeout = PATIENCE, message = nil)
      give_up = TestSupport.now + timeout
      loop do
        value = yield
        return value if value
        if TestSupport.now > give_up
          flunk(message || "the condition did not come true within #{timeout} s")
        end
        sleep(0.002)
      end
    end
  end
end
