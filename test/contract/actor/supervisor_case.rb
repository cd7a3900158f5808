# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia/actor"

# Helpers of the tests of supervisors: actors that write their starts and stops to a journal.
class ActorSupervisorCase < Raffia::TestCase
  EXECUTORS = (RUBY_ENGINE == "ruby") ? %i[fibers threads] : %i[threads]

  # Says when it begins and ends.
  class Witness < Raffia::Actor
    def initialize(id, journal, fails: nil)
      @id = id
      @journal = journal
      @fails = fails
      @count = 0
      raise "#{id} does not start" if fails&.pop == :initialize
    end

    def on_start = @journal << [:start, @id]

    def on_stop(reason)
      @journal << [:stop, @id, reason.is_a?(Exception) ? reason.message : reason]
    end

    def count = @count += 1

    def boom(text = "boom") = raise(text)

    def leave(reason = :normal) = stop(reason)

    # Holds the actor up until it may go on.
    def hold(entered, gate)
      entered << true
      gate.pop
    end

    # Does not end when it is asked to.
    def stubborn(entered)
      entered << true
      sleep
    end
  end

  def setup
    @journal = Thread::Queue.new
    @log = StringIO.new
    @logger_before = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(@log)
    @trees = []
  end

  def teardown
    @trees.each { |tree| tree.kill && tree.join(PATIENCE) }
    Raffia::Actor.log = @logger_before
  end

  # @yieldparam words [Raffia::Supervisor::ClassMethods]
  # @return [Raffia::Actor::Ref]
  def tree(**settings, &)
    Raffia::Supervisor.spawn(backoff: 0, **settings, &).tap { |tree| @trees << tree }
  end

  # A tree of witnesses.
  def witnesses(*ids, restart: :permanent, on: EXECUTORS.first, **settings)
    tree(intensity: 100, **settings) do |s|
      ids.each { |id| s.child(Witness, id, @journal, name: id, id: id, restart: restart, on: on) }
    end
  end

  def wait_until(what)
    limit = TestSupport.now + PATIENCE
    until (value = yield)
      flunk("waited for this, but it did not come: #{what}") if TestSupport.now > limit
      sleep(0.002)
    end
    value
  end

  # New entries of the journal.
  def said = Array.new(@journal.size) { @journal.pop }

  # Waits until so much has been said.
  def hear(count)
    Array.new(count) { @journal.pop(timeout: PATIENCE) || flunk("only this was said: #{@journal}") }
  end

  # The supervisor has handled all earlier messages.
  def settled(tree) = tree.count_children
end
