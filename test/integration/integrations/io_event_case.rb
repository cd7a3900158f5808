# frozen_string_literal: true

require "test_helper"
require "support/each_backend"
require "io/nonblock"
require "socket"
require "tempfile"
require "raffia/integrations/io_event"

# The first buffer of a process warns that they are experimental.
before = Warning[:experimental]
Warning[:experimental] = false
IO::Buffer.new(1).free
Warning[:experimental] = before

# The suites of the selector run on every back end that works here.
module IOEventCase
  BACKENDS = Raffia::Engine.probe.filter_map { |found| found[:name] if found[:ok] }

  # Defines a test class for each back end, named after the suite.
  def self.run(suite) = TestSupport::EachBackend.define(suite, self, BACKENDS)

  # @return [IO::Event::Selector::Raffia] with the test's fiber as its loop
  attr_reader :selector

  def setup
    super
    @selector = open_selector
  end

  def open_selector = IO::Event::Selector::Raffia.new(Fiber.current, backend: backend)

  def pipe = IO.pipe.tap { |ends| (@ios ||= []).concat(ends) }

  def teardown
    @selector.close
    @ios&.each(&:close)
    super
  end

  # Starts a fiber, which runs until it waits.
  def start(&)
    Fiber.new(blocking: false, &).tap(&:transfer)
  end

  def turn_until(&done) = wait_until { selector.select(0.01) && done.call }

  def with_buffer(size)
    buffer = IO::Buffer.new(size)
    yield buffer
  ensure
    buffer.free
  end
end
