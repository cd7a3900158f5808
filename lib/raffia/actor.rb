# frozen_string_literal: true

require_relative "../raffia"

module Raffia
  # An object that does one thing at a time, for whoever asks: its methods are called through a
  # {Ref}, from any fiber and thread, and run one after the other in the order in which they were
  # asked for. So its state needs no locks.
  #
  #   class Counter < Raffia::Actor
  #     def initialize(start = 0) = @count = start
  #     def add(number) = @count += number
  #   end
  #
  #   counter = Counter.spawn(10)
  #   counter.add(1)                # => 11; waits for the answer
  #   counter.async.add(1)          # does not wait
  #   counter.future.add(1).value   # => 13; waits later
  #
  # An actor without work is a few objects: no fiber, no thread. An error that its method raises is
  # raised in the caller, and ends the actor ("let it crash"); a {Supervisor} puts a fresh one in
  # its place, under the same ref, with the messages that were waiting.
  class Actor
  end
end

require_relative "actor/errors"
require_relative "actor/settings"
require_relative "actor/interface"
require_relative "actor/id_sequence"
require_relative "actor/message"
require_relative "actor/system_message"
require_relative "actor/stop_message"
require_relative "actor/timer_message"
require_relative "actor/mailbox_wait"
require_relative "actor/answer"
require_relative "actor/future"
require_relative "actor/mailbox"
require_relative "actor/registry"
require_relative "actor/ref"
require_relative "actor/household"
require_relative "actor/host"
require_relative "actor/places"
require_relative "actor/object_factory"
require_relative "actor/exit_signal"
require_relative "actor/lifecycle"
require_relative "actor/wait_graph"
require_relative "actor/links"
require_relative "actor/timers"
require_relative "actor/execution"
require_relative "actor/nested_execution"
require_relative "actor/startup"
require_relative "actor/termination"
require_relative "actor/actor_core"
require_relative "actor/spawning"
require_relative "actor/inside"
require_relative "actor/pooling"
require_relative "actor/supervisor"
require_relative "actor/remote"
require_relative "actor/topics"
require_relative "actor/tree"
require_relative "actor/window"
