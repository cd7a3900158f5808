# frozen_string_literal: true

require "socket"
require_relative "../base/fork"

module Raffia
  module Process
    # A forked process that watches this one and may outlive it. It gets commands, a byte each, and
    # the end of the pipe is the end of this process.
    #
    # @api private
    class MonitorProcess
      BOOT = 10
      private_constant :BOOT

      attr_reader :pid, :ready

      # The block runs in the new process, with an IO of commands, and one to be closed when it is
      # ready. Raises SystemCallError when there can be no more processes.
      def initialize(&work)
        # In a thread of its own, so that the child begins on an empty stack, without the fiber's
        # scheduler.
        @forker = ::Thread.new { start(work) }
        @forker.report_on_exception = false
        @pid = @forker.value
      end

      def alive? = @reaper.alive?

      # `command`: a byte. Has no effect when the monitor has ended.
      def tell(command)
        @commands.write_nonblock(command)
        nil
      rescue SystemCallError, IOError
        nil
      end

      def close(seconds)
        @fork.remove
        @commands.close unless @commands.closed?
        return if @reaper.join(seconds)

        ::Process.kill(:KILL, @pid)
        @reaper.join
      rescue Errno::ESRCH
        nil
      end

      private

      def start(work)
        theirs, @commands = ::IO.pipe
        started, ready = ::IO.pipe
        # Other children must not keep the pipe open.
        @fork = Fork.after_child do
          [@commands, theirs].each(&:close) unless ::Thread.current.equal?(@forker)
        end
        pid = ::Process.fork { live(work, theirs, ready, started) }
        ready.close
        @ready = !started.wait_readable(BOOT).nil?
        @reaper = ::Process.detach(pid)
        pid
      ensure
        [theirs, started, ready].each { |io| io&.close }
      end

      def live(work, theirs, ready, started)
        [@commands, started].each(&:close)
        close_listening_sockets
        work.call(theirs, ready)
      ensure
        ::Process.exit!(1)
      end

      # They would keep this process's ports when it has ended, and let clients wait.
      def close_listening_sockets
        ::ObjectSpace.each_object(::BasicSocket).to_a
          .each { |socket| socket.close if listening?(socket) }
      end

      def listening?(socket)
        !socket.closed? && socket.getsockopt(:SOCKET, :ACCEPTCONN).bool
      rescue SystemCallError, IOError
        false # it was not opened yet
      end
    end
  end
end
