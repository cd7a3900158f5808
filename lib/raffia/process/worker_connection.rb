# frozen_string_literal: true

require "fcntl"

require_relative "../base/fork"
require_relative "framed_pipe"
require_relative "shared_memory_payloads"

module Raffia
  module Process
    # Pipes between a parent and one worker: frames down, frames up, payloads, and a lifeline whose
    # end tells the worker that the parent is gone.
    #
    # A pipe end that a third process holds never reports its end. So every other child that is
    # forked meanwhile closes all ends in a fork callback; programs started by exec never see them
    # (close-on-exec).
    #
    # @api private
    class WorkerConnection
      RUNNING = "!"
      private_constant :RUNNING

      # Frames from the other side.
      attr_reader :reader
      attr_reader :writer, :payloads

      def initialize
        # The thread that is about to fork this worker; it goes on in the child.
        @forker = Thread.current
        # First: another thread may fork before all of it is here.
        @fork = Fork.after_child { leave_to_others unless Thread.current.equal?(@forker) }
        @down = ::IO.pipe
        @up = ::IO.pipe
        @lifeline = ::IO.pipe
        @payloads, @child_payloads = @both = SharedMemoryPayloads.pair
      rescue SystemCallError
        close # no more descriptors: those that were had go back
        raise
      end

      def parent_side
        @forker = nil
        @child_payloads&.close
        keep(reads: @up, writes: @down, lifeline: @lifeline.last)
      end

      def child_side
        @fork.remove
        @payloads&.close
        @payloads = @child_payloads
        @up.last.syswrite(RUNNING)
        keep(reads: @down, writes: @up, lifeline: @lifeline.first)
      end

      # In the parent: whether the worker runs or has ended within so many seconds.
      def running?(seconds)
        return false unless @up.first.wait_readable(seconds)

        @up.first.sysread(RUNNING.bytesize)
        true
      rescue EOFError
        true
      end

      def wait_for_parents_end
        @lifeline.first.wait_readable
      rescue IOError
        nil
      end

      # From any thread, for good; a reader that waits gets nil.
      def close
        @fork.remove
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

      # Frames are read and written by threads that may block. With the non-blocking pipes of Ruby
      # each wait for a frame takes three system calls: a read in vain, a poll, and the read.
      # (IO#nonblock= does the same, but not in a Ractor.)
      def patient(io)
        io.fcntl(Fcntl::F_SETFL, io.fcntl(Fcntl::F_GETFL) & ~::File::NONBLOCK)
        io
      end

      def ends = [*@down, *@up, *@lifeline]

      def close_all = [*ends, *@both].each(&:close)

      # In a child that is not the worker of this connection.
      def leave_to_others
        @fork.remove
        close_all
      end
    end
  end
end
