# frozen_string_literal: true

require_relative "../base"
require_relative "interest"
require_relative "operation"
require_relative "timers"

module Raffia
  module Engine
    # The engine in plain Ruby, over IO.select: for JRuby, for Rubies without the extension, and for
    # comparison. The compiled one ({Native}) has the same methods.
    #
    # An engine belongs to the thread and the process that opened it; others may only call {#inject}
    # and {#wake}. The +data+ of an operation comes back from {#shift} when it has completed, with
    # the {#result}: the events that came, the number of bytes, or a negative errno. A closed engine
    # raises IOError.
    #
    # An interrupt of the thread may be raised between any two lines. So a completion is added to
    # the ready ones before it is removed from anywhere else. It may be there twice, and is skipped
    # once it is over.
    #
    # @api private
    class Select
      require_relative "select/completions"
      require_relative "select/direct_io"
      require_relative "select/waker"

      include DirectIO

      ETIME = -Errno::ETIME::Errno
      EVENTS = IO::READABLE | IO::PRIORITY | IO::WRITABLE
      private_constant :ETIME, :EVENTS

      def initialize
        @owner = ::Process.pid
        @timers = Timers.new
        @interest = Interest.new
        @operations = {} # by id
        @completions = Completions.new
        @waker = Waker.new
        @next_id = 0
        @polls = @completed = 0
      end

      def name = :select

      # Whether it has {#read} and {#write}.
      def transfers? = false

      # Waits once until an IO (or descriptor) is ready for one of the events (IO::READABLE |
      # IO::PRIORITY | IO::WRITABLE). Returns an id for {#disarm}. Raises SystemCallError: EBADF;
      # EINVAL for no events, or unknown ones.
      def arm(io, events, data)
        check_open
        unless events.positive? && events <= EVENTS
          raise Errno::EINVAL, "arm: what to wait for is IO::READABLE, PRIORITY and WRITABLE"
        end

        add(Operation.new(io: Interest.io(io), events: events, data: data)) do |operation|
          @interest.add(operation)
        end
      end

      # A timer, in seconds from now; its result is -ETIME. Returns an id for {#disarm}.
      def after(seconds, data)
        check_open
        add(Operation.new(at: Clock.now + Timers.seconds(seconds), data: data)) do |operation|
          @timers.add(operation)
        end
      end

      # Cancels an operation. True: it will not complete. Nil: it had completed, or the engine is
      # closed. False, of transfers only: the kernel owns the buffer, and it will complete.
      def disarm(id)
        operation = @operations[Integer(id)]
        return if operation.nil? || closed?

        operation.over = true
        leave(operation)
        @timers.compact if operation.at
        true
      end

      # Adds a completion, behind the others.
      def push(data, result)
        check_open
        @completions.push(Operation.new(data: data, result: Integer(result)))
        wake if @waker.asleep? # a trap handler's completion
        nil
      end

      # Adds a completion from any thread, and ends the sleep of {#poll}. False when the engine is
      # closed.
      def inject(data, result)
        return false if closed?

        @completions.inject(Operation.new(data: data, result: Integer(result)))
        wake
      rescue ClosedQueueError
        false
      end

      # Ends the sleep of {#poll}, or the next one. False when the engine is closed.
      def wake = !closed? && @waker.wake

      # The data of the next completion, which stays; nil when there is none; see {#result}.
      def peek = closed? ? nil : @completions.peek

      # The same, removed. An interrupt of the thread may come in between: a caller that must not
      # lose a completion peeks, and shifts afterwards.
      def shift = closed? ? nil : @completions.shift

      # The result of the operation that was peeked at or shifted last.
      def result = @completions.result

      # Sleeps until an operation has completed, for +timeout+ seconds at most; nil: without a
      # limit. Returns the number of completions that wait to be shifted.
      def poll(timeout = nil)
        timeout &&= Timers.seconds(timeout)
        check_open
        @polls += 1
        @waker.sleep
        select_ready(pause(timeout))
        @timers.expire { |timer| complete(timer, ETIME) }
        @completions.collect
      ensure
        @waker.awake
      end

      # Operations under way.
      def pending = @operations.size

      def stats
        check_open
        {polls: @polls, completed: @completed, pending: pending, ready: @completions.size}
      end

      # True in a forked child, too.
      def closed? = @waker.closed? || @owner != ::Process.pid

      # Releases everything; idempotent, and harmless in a forked child.
      def close
        @completions.close
        @waker.close
        nil
      end

      private

      def check_open
        unless @owner == ::Process.pid
          raise IOError, "the event loop is the parent process's: open another one in this process"
        end
        raise IOError, "the event loop is closed" if closed?
      end

      def add(operation)
        operation.id = (@next_id += 1)
        yield operation
        @operations[operation.id] = operation
        operation.id
      end

      def pause(timeout)
        return 0 if @waker.woken? || @completions.any?

        [timeout, @timers.pause].compact.min
      end

      def select_ready(pause)
        @interest.select(@waker.io, pause) { |operation, events| complete(operation, events) }
      end

      def complete(operation, result)
        operation.result = result
        @completions.push(operation)
        leave(operation)
        @completed += 1
      end

      def leave(operation)
        @operations.delete(operation.id)
        @interest.remove(operation) if operation.io
      end
    end
  end
end
