# frozen_string_literal: true

require "test_helper"
require "raffia/actor"

# Helpers of the tests of an actor's parts: a core that records its exits.
module ActorPartsCase
  class Core
    attr_reader :lock, :received, :mailbox, :ref, :timers, :settings
    attr_accessor :dead, :reason, :status, :current, :group

    def initialize(name = :core)
      @ref = name
      @lock = Raffia::SpinLock.new
      @settings = Raffia::Actor::Settings.new(mailbox: 1)
      @mailbox = Raffia::Actor::Mailbox.new(@settings)
      @received = []
      @dead = false
      @status = :running
      @group = Group.new
    end

    def dead? = @dead

    def alive? = !@dead

    def label = @ref.to_s

    def linked_exit(other, reason) = @received << [other.ref, reason]

    def urge(&block) = @received << block.call

    def watch(&block) = (@watchers ||= []) << block

    def unwatch(block) = @watchers.delete(block)

    def watchers = @watchers.to_a

    def insert = @lock.hold { !!yield }
  end

  # Keeps timers that a test fires.
  class Group
    attr_reader :timers

    def initialize = @timers = []

    def timer(at_end = nil, &call) = Timer.new(call, at_end).tap { |timer| @timers << timer }
  end

  Timer = Struct.new(:call, :at_end, :seconds, :cancelled) do
    def arm(seconds) = self.seconds = seconds

    def cancel
      self.cancelled = true
      at_end.call(self)
    end

    def cancelled? = !!cancelled
  end
end
