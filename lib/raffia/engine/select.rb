# frozen_string_literal: true

require "io/nonblock"
require_relative "../base"
require_relative "timers"
require_relative "interest"

module Raffia
  module Engine
    # The engine in plain Ruby, over IO.select: for JRuby, for Rubies without the extension, and to compare with. The compiled
    # one ({Native}) has the same methods.
    #
    # An engine belongs to the thread and the process that opened it; {#inject} and {#wake} alone may be called by others. What is
    # handed in as +data+ comes back from {#shift} when the operation has completed, with the {#result}: the events that came, the
    # number of bytes, or a negative errno.
    class Select
      EAGAIN = -Errno::EAGAIN::Errno
      EBADF = -Errno::EBADF::Errno
      ETIME = -Errno::ETIME::Errno
      # What a pipe that is ready takes without waiting (POSIX: PIPE_BUF is at least 512, on Linux 4096).
      READY_WRITE = 512
      private_constant :EAGAIN, :EBADF, :ETIME, :READY_WRITE

      # @return [Integer] what came of the operation whose data was shifted last
      attr_reader :result

      # @param clock [#now] seconds
      def initialize
        @owner = ::Process.pid
        @timers = Timers.new
        @interest = Interest.new
        @operations = {} # id => a timer, or an entry of @interest
        @ready = []
        @inbox = Thread::Queue.new # locks for itself
        @wake_out, @wake_in = IO.pipe
        @asleep = false
        @next_id = 0
        @polls = @completed = 0
      end

      # @return [Symbol]
      def name = :select

      # @return [Boolean] whether {#read} and {#write} are there
      def transfers? = false

      # Wait once until +io+ is ready.
      #
      # @param io [IO, Integer] or a descriptor
      # @param events [Integer] IO::READABLE | IO::PRIORITY | IO::WRITABLE
      # @return [Integer] id, for {#disarm}
      # @raise [SystemCallError] EBADF
      def arm(io, events, data)
        raise Errno::EINVAL, "no events to wait for" if (events & (IO::READABLE | IO::PRIORITY | IO::WRITABLE)).zero?

        id = (@next_id += 1)
        @operations[id] = @interest.add(io, events, data, id)
        id
      end

      # A timer; its result is -ETIME.
      #
      # @param seconds [Numeric] from now
      # @return [Integer] id, for {#disarm}
      def after(seconds, data)
        id = (@next_id += 1)
        @operations[id] = @timers.add(Clock.now + seconds, [id, data])
        id
      end

      # Call an operation off.
      #
      # @param id [Integer]
      # @return [Boolean, nil] true: nothing will be heard of it again. nil: it had completed. false, of transfers only: the
      #   kernel still owns the buffer, and the operation will complete
      def disarm(id)
        operation = @operations.delete(id) or return
        operation.is_a?(Timers::Timer) ? @timers.cancel(operation) : @interest.remove(operation)
        true
      end

      # Add a completion, behind those that are there.
      # @param result [Integer]
      # @return [void]
      def push(data, result)
        @ready.push([data, result])
        nil
      end

      # The same from any thread; ends a {#poll} that sleeps.
      # @return [Boolean] false when the engine is closed
      def inject(data, result)
        @inbox.push([data, result])
        wake
      rescue ClosedQueueError
        false
      end

      # End the sleep of {#poll}, or the next one.
      # @return [Boolean] false when the engine is closed
      def wake
        @wake_in.write_nonblock(".", exception: false) if @asleep
        true
      rescue IOError
        false
      end

      # @return [Object, nil] the data of the next completion, nil when there is none; see {#result}
      def shift
        data, @result = @ready.shift
        data
      end

      # Sleep until something has completed, at the longest +timeout+ seconds.
      #
      # @param timeout [Numeric, nil] nil: without a limit; 0: only look
      # @return [Integer] completions that wait to be shifted
      def poll(timeout = nil)
        raise Errno::ECHILD, "an event loop does not work in a forked process" unless @owner == ::Process.pid

        @polls += 1
        @asleep = true # before the inbox is looked at: whoever fills it later, wakes
        look(pause(timeout))
        @timers.expire.each { |id, data| complete(id, data, ETIME) }
        empty_inbox
        @ready.size
      ensure
        @asleep = false
      end

      # @param io [IO, Integer]
      # @param events [Integer]
      # @return [Integer] those of the events that are there now
      def ready(io, events)
        Interest.look(Interest.io(io), events)
      end

      # Read what is there, without waiting.
      #
      # @param buffer [IO::Buffer]
      # @param offset [Integer] where in the buffer
      # @param from [Integer, nil] where in the file; nil: at its position
      # @return [Integer] bytes, 0 at the end, or a negative errno: -EAGAIN when it would have to wait
      def try_read(io, buffer, offset, from = nil)
        return EAGAIN unless io.nonblock? || ready(io, IO::READABLE).positive?

        Fiber.blocking { from ? buffer.pread(io, from, 0, offset) : buffer.read(io, 0, offset) }
      end

      # Write what can be written without waiting.
      # @return [Integer] as {#try_read}
      def try_write(io, buffer, offset, from = nil)
        unless io.nonblock?
          return EAGAIN unless ready(io, IO::WRITABLE).positive?

          buffer = buffer.slice(0, [buffer.size, offset + READY_WRITE].min) unless file?(io)
        end
        Fiber.blocking { from ? buffer.pwrite(io, from, 0, offset) : buffer.write(io, 0, offset) }
      end

      # @return [Boolean] whether readiness means nothing for it: a regular file, a directory
      def file?(io)
        stat = io.stat
        stat.file? || stat.directory? || stat.blockdev?
      end

      # @return [Integer, nil] a descriptor that becomes readable when the process ends; nil where there is no such thing
      def pidfd(_pid) = nil

      # @return [Integer] operations that have not completed
      def pending = @operations.size

      # @return [Hash] counters
      def stats = {polls: @polls, completed: @completed, pending: pending, ready: @ready.size}

      # @return [Boolean] of this process: a forked child finds its copy closed
      def closed? = @wake_in.closed? || @owner != ::Process.pid

      # Give everything back; harmless when repeated, and in a forked child.
      # @return [void]
      def close
        @inbox.close
        Fiber.blocking { [@wake_in, @wake_out].each(&:close) }
        nil
      end

      private

      def pause(timeout)
        return 0 unless @ready.empty? && @inbox.empty?

        next_timer = @timers.pause or return timeout
        timeout ? [timeout, next_timer].min : next_timer
      end

      def look(pause)
        @interest.select(@wake_out, pause) { |entry, events| complete(entry.id, entry.data, events) }
      end

      def complete(id, data, result)
        operation = @operations.delete(id) or return
        @interest.remove(operation) unless operation.is_a?(Timers::Timer)
        @completed += 1
        @ready.push([data, result])
      end

      def empty_inbox
        @ready.push(@inbox.pop) until @inbox.empty?
      end
    end
  end
end
