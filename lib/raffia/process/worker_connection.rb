# frozen_string_literal: true

require "fcntl"

require_relative "../base/fork"
require_relative "framed_pipe"
require_relative "shared_memory_payloads"

module Raffia
  module Process
    # What is between a parent and one worker: a pipe for frames down, one for frames up, a way for
    # payloads, and a lifeline that carries nothing, but whose end tells the worker that the parent
    # is gone, however it went.
    #
    # A pipe end that some third process also holds never reports its end. So every other child that
    # is forked while a connection is open (a sibling, another pool's worker, a fork of the user's
    # own) closes all of its ends at once, in a fork callback; programs that are started by exec
    # never see them, they are close-on-exec.
    #
    # @api private
    class WorkerConnection
      # The first that a worker says.
      RUNNING = "!"
      private_constant :RUNNING

      # @return [FramedPipe::Reader] in the child: frames from the parent; in the parent: frames
      #   from the child
      attr_reader :reader
      # @return [FramedPipe::Writer]
      attr_reader :writer
      # @return [SharedMemoryPayloads, nil] for what is too long for a pipe; nil where there is no
      #   such thing
      attr_reader :payloads

      def initialize
        # The one thread that is about to fork the worker of this connection; in the child it is the
        # thread that goes on.
        @forker = Thread.current
        # First: another thread may fork before all of it is here.
        @guard = Fork.after_child { leave_to_others unless Thread.current.equal?(@forker) }
        @down = ::IO.pipe
        @up = ::IO.pipe
        @lifeline = ::IO.pipe
        @payloads, @child_payloads = @both = SharedMemoryPayloads.pair
      rescue SystemCallError
        close # no more descriptors: those that were had go back
        raise
      end

      # In the parent, after the fork: keep our side.
      # @return [self]
      def parent_side
        @forker = nil
        @child_payloads&.close
        keep(reads: @up, writes: @down, lifeline: @lifeline.last)
      end

      # In the worker, after the fork: keep our side.
      # @return [self]
      def child_side
        @guard.remove
        @payloads&.close
        @payloads = @child_payloads
        @up.last.syswrite(RUNNING)
        keep(reads: @down, writes: @up, lifeline: @lifeline.first)
      end

      # In the parent: wait until the worker runs.
      # @param seconds [Numeric]
      # @return [Boolean] whether it does, or has ended; false when neither is known in time
      def running?(seconds)
        return false unless @up.first.wait_readable(seconds)

        @up.first.sysread(RUNNING.bytesize)
        true
      rescue EOFError
        true
      end

      # In the worker: wait until the parent has ended.
      # @return [void]
      def wait_for_parents_end
        @lifeline.first.wait_readable
      rescue IOError
        nil
      end

      # Close this side for good. Safe from any thread; a reader that waits gets its nil.
      # @return [void]
      def close
        @guard.remove
        close_all
      end

      private

      def keep(reads:, writes:, lifeline:)
        kept = [reads.first, writes.last, lifeline]
        ends.each { |io| io.close unless kept.include?(io) }
        @reader = FramedPipe::Reader.new(patient(reads.first))
        @writer = FramedPipe::Writer.new(patient(writes.last))
        self
      end

      # Whoever reads or writes a frame has a thread to wait in. Ruby makes pipes non-blocking, and
      # then each wait for a frame takes three system calls: a read in vain, a poll, and the read.
      # (IO#nonblock= says the same, but not in a Ractor.)
      def patient(io)
        io.fcntl(Fcntl::F_SETFL, io.fcntl(Fcntl::F_GETFL) & ~::File::NONBLOCK)
        io
      end

      def ends = [*@down, *@up, *@lifeline]

      def close_all = [*ends, *@both].each(&:close)

      # In a child that is not the worker of this connection.
      def leave_to_others
        @guard.remove
        close_all
      end
    end
  end
end
