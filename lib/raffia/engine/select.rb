# frozen_string_literal: true

require "fcntl"
require_relative "../base"
require_relative "operation"
require_relative "timers"
require_relative "interest"

module Raffia
  module Engine
    # The engine in plain Ruby, over IO.select: for JRuby, for Rubies without the extension, and to
    # compare with. The compiled one ({Native}) has the same methods.
    #
    # An engine belongs to the thread and the process that opened it; {#inject} and {#wake} alone
    # may be called by others. What is handed in as +data+ comes back from {#shift} when the
    # operation has completed, with the {#result}: the events that came, the number of bytes, or a
    # negative errno.
    #
    # An interrupt of the thread may strike between any two lines. So what has completed is put on
    # the list @ready before it is taken from anywhere else, and may be there twice; it is not given
    # out again once it is over.
    class Select
      EAGAIN = -Errno::EAGAIN::Errno
      ETIME = -Errno::ETIME::Errno
      # What a pipe that is ready takes without waiting (POSIX: PIPE_BUF is at least 512, on Linux
      # 4096).
      READY_WRITE = 512
      # Seconds; more than any select takes is more than anybody waits.
      FOREVER = 1e9
      EVENTS = IO::READABLE | IO::PRIORITY | IO::WRITABLE
      private_constant :EAGAIN, :ETIME, :READY_WRITE, :FOREVER, :EVENTS

      # @return [Integer, nil] what came of the operation whose data was peeked at or shifted last
      attr_reader :result

      def initialize
        @owner = ::Process.pid
        @timers = Timers.new
        @interest = Interest.new
        @operations = {} # by id
        @ready = []
        @inbox = Thread::Queue.new # locks for itself
        @wake_out, @wake_in = IO.pipe
        @asleep = @woken = false
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
      # @raise [SystemCallError] EBADF; EINVAL for no events, or unknown ones
      # @raise [IOError] when the engine is closed
      def arm(io, events, data)
        check_open
        unless events.positive? && events <= EVENTS
          raise Errno::EINVAL, "arm: what to wait for is IO::READABLE, PRIORITY and WRITABLE"
        end

        add(Operation.new(io: Interest.io(io), events: events, data: data)) do |operation|
          @interest.add(operation)
        end
      end

      # A timer; its result is -ETIME.
      #
      # @param seconds [Numeric] from now
      # @return [Integer] id, for {#disarm}
      # @raise [IOError] when the engine is closed
      def after(seconds, data)
        check_open
        add(Operation.new(at: Clock.now + number(seconds), data: data)) do |operation|
          @timers.add(operation)
        end
      end

      # Call an operation off.
      #
      # @param id [Integer]
      # @return [Boolean, nil] true: nothing will be heard of it again. nil: it had completed, or
      #   the engine is closed. false, of transfers only: the kernel still owns the buffer, and the
      #   operation will complete
      def disarm(id)
        operation = @operations[Integer(id)]
        return if operation.nil? || closed?

        operation.over = true
        leave(operation)
        @timers.tidy if operation.at
        true
      end

      # Add a completion, behind those that are there.
      # @param result [Integer]
      # @return [void]
      # @raise [IOError] when the engine is closed
      def push(data, result)
        check_open
        @ready.push(Operation.new(data: data, result: Integer(result)))
        wake if @asleep # this is a trap handler's
        nil
      end

      # The same from any thread; ends a {#poll} that sleeps.
      # @return [Boolean] false when the engine is closed
      def inject(data, result)
        return false if closed?

        @inbox.push(Operation.new(data: data, result: Integer(result)))
        wake
      rescue ClosedQueueError
        false
      end

      # End the sleep of {#poll}, or the next one.
      # @return [Boolean] false when the engine is closed
      def wake
        return false if closed?

        @woken = true unless @asleep
        @wake_in.write_nonblock(".", exception: false) if @asleep
        true
      rescue IOError
        false
      end

      # @return [Object, nil] the data of the next completion, which stays; nil when there is none;
      #   see {#result}
      def peek
        return if closed?

        @ready.shift while @ready.first&.over
        first = @ready.first or return
        @result = first.result
        first.data
      end

      # @return [Object, nil] the same, and the completion is gone. An interrupt of the thread can
      #   get in between; whoever must not lose one, peeks, and shifts when it has taken effect
      def shift
        data = peek
        first = @ready.first or return
        first.over = true
        @ready.shift
        data
      end

      # Sleep until something has completed, at the longest +timeout+ seconds.
      #
      # @param timeout [Numeric, nil] nil: without a limit; 0: only look
      # @return [Integer] completions that wait to be shifted
      # @raise [IOError] when the engine is closed
      def poll(timeout = nil)
        timeout &&= number(timeout)
        check_open
        @polls += 1
        @asleep = true # before the inbox is looked at: whoever fills it later, wakes
        look(pause(timeout))
        @timers.expire { |timer| complete(timer, ETIME) }
        empty_inbox
        @ready.size
      ensure
        @asleep = @woken = false
      end

      # @param io [IO, Integer]
      # @param events [Integer]
      # @return [Integer] those of the events that are there now, or a negative errno
      # @raise [IOError] when the IO is closed
      def ready(io, events)
        Interest.look(Interest.io(io), events)
      rescue SystemCallError => error
        -error.errno
      end

      # Read what is there, without waiting. With one gap, which the compiled engines do not have:
      # from a descriptor that is not O_NONBLOCK another thread or process may take the bytes
      # between the look and the read, which then waits.
      #
      # @param buffer [IO::Buffer]
      # @param offset [Integer] where in the buffer
      # @param from [Integer, nil] where in the file; nil: at its position
      # @return [Integer] bytes, 0 at the end, or a negative errno: -EAGAIN when it would have to
      #   wait
      def try_read(io, buffer, offset, from = nil)
        return EAGAIN unless nonblock?(io) || ready(io, IO::READABLE).positive?

        Fiber.blocking { from ? buffer.pread(io, from, 0, offset) : buffer.read(io, 0, offset) }
      end

      # Write what can be written without waiting.
      # @return [Integer] as {#try_read}
      def try_write(io, buffer, offset, from = nil)
        unless nonblock?(io)
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

      # Takes an IO, and where in the file a read ended (nil: at its position).
      # @return [Boolean] whether {#try_read} gave less than was asked for although there is more of
      #   a file: the rest is not in memory
      def cut_short?(_io, _from) = false

      # @return [Integer, nil] a descriptor that becomes readable when the process ends; nil where
      #   there is no such thing
      def pidfd(_pid) = nil

      # @return [Integer] operations that have not completed
      def pending = @operations.size

      # @return [Hash] counters
      # @raise [IOError] when the engine is closed
      def stats
        check_open
        {polls: @polls, completed: @completed, pending: pending, ready: @ready.size}
      end

      # @return [Boolean] of this process: a forked child finds its copy closed
      def closed? = @wake_in.closed? || @owner != ::Process.pid

      # Give everything back; harmless when repeated, and in a forked child.
      # @return [void]
      def close
        @inbox.close
        @ready.clear
        Fiber.blocking { [@wake_in, @wake_out].each(&:close) }
        nil
      end

      private

      def check_open
        unless @owner == ::Process.pid
          raise IOError, "the event loop is the parent process's: open another one in this process"
        end
        raise IOError, "the event loop is closed" if closed?
      end

      def number(seconds)
        raise TypeError, "a time must be a number, not #{seconds.inspect}" unless number?(seconds)

        seconds = seconds.to_f
        raise ArgumentError, "a time must be a number, not NaN" if seconds.nan?

        seconds.clamp(0, FOREVER)
      end

      # Thread#join takes what converts itself, and hands it on as it is.
      def number?(seconds)
        seconds.is_a?(Numeric) ||
          (seconds.respond_to?(:to_f) && !seconds.is_a?(String) && !seconds.nil?)
      end

      # IO#nonblock? is not for Ractors before Ruby 3.4.
      def nonblock?(io) = io.fcntl(Fcntl::F_GETFL).anybits?(File::NONBLOCK)

      def add(operation)
        operation.id = (@next_id += 1)
        yield operation
        @operations[operation.id] = operation
        operation.id
      end

      def pause(timeout)
        return 0 if @woken || !@inbox.empty? || !@ready.empty?

        [timeout, @timers.pause].compact.min
      end

      def look(pause)
        @interest.select(@wake_out, pause) { |operation, events| complete(operation, events) }
      end

      def complete(operation, result)
        operation.result = result
        @ready.push(operation)
        leave(operation)
        @completed += 1
      end

      def leave(operation)
        @operations.delete(operation.id)
        @interest.remove(operation) if operation.io
      end

      def empty_inbox
        @ready.push(@inbox.pop) until @inbox.empty?
      end
    end
  end
end
