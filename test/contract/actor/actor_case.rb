# frozen_string_literal: true

require "test_helper"
require "raffia/actor"
require "timeout"

# The stdlib's own timer thread starts with the first timeout and stays: not a leak of whatever test
# comes first.
Timeout.timeout(1) {}

# Helpers of the tests of actors. A test class says where its actors work, and where they
# are spawned:
#
#   place -> the value of on:
#   surround -> runs a test's body, inside of Raffia.run or outside
module ActorCase
  # Spawned in a loop that ends.
  module Inside
    def surround(&) = Raffia.run(deadlock: :off, &)
  end

  # Spawned in the process's own loop.
  module Outside
    def surround = yield
  end

  # Defines the test classes of a place.
  # @param suites [Array<Module>]
  def self.run(place, *suites)
    ((RUBY_ENGINE == "ruby") ? [Inside, Outside] : [Outside]).each do |where|
      Object.const_set("Actor#{place.to_s.capitalize}#{where.name[/\w+\z/]}Test",
        Class.new(Raffia::TestCase) do
          include ActorCase
          include where

          suites.each { |suite| include suite }
          define_method(:place) { place }
        end)
    end
  end

  # The body of each test runs in here: whatever happens in it, nothing is left behind.
  def with_actors
    log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(@log = StringIO.new)
    assert_no_leaks { surround { yield } && Raffia::Actor.shutdown }
  ensure
    Raffia::Actor.shutdown
    Raffia::Actor.log = log
  end

  # Log of the errors that reached no caller.
  def logged = @log.string

  # An actor where the suite has them.
  def spawn(actor, *, **options, &) = actor.spawn(*, on: place, **options, &)

  # Whether what the actor works on waits for another, and has looked for circles: its message is
  # there a moment before.
  def waits?(actor) = actor.raffia_core.current&.waits&.reply&.instance_variable_get(:@parked)

  # Another fiber or thread, as the place of the test has it.
  # @return [#value, #join]
  def aside(&)
    Fiber.current_scheduler ? Aside.new(&) :
      Thread.new do
        Thread.current.report_on_exception = false
        yield
      end # standard:disable Style/Semicolon
  end

  # A fiber that can be waited for.
  class Aside
    def initialize
      @future = Raffia::Actor::Future.new
      Fiber.schedule { @future.attempt { yield } }
    end

    def value = @future.value

    def join = @future.wait
  end
end
