# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/error"
require_relative "child"
require_relative "exit"
require_relative "output_buffers"
require_relative "worker_connection"

module Raffia
  module Process
    # A forked worker, seen from the parent: starts it, exchanges frames, ends it, knows its exit.
    #
    # A thread makes the fork and stays to reap that pid. So the child begins on an empty stack,
    # without the caller's scheduler, locks and frames, and a fiber may start workers.
    #
    # @api private
    class Worker
      NAP = 0.002
      # Seconds between SIGTERM and SIGKILL.
      GRACE = 0.5
      # Seconds that a child may take until it runs, for each attempt. Ruby 3.4 can leave one
      # hanging inside of fork, before any code of ours, when another thread of the parent is just
      # waking up (ruby/ruby#12981); longer for a machine that is only slow.
      FORK_TIMEOUTS = [5, 10, 20].freeze
      private_constant :NAP

      attr_reader :pid

      # The block gets its {WorkerConnection} in the child.
      def initialize(&service)
        raise ArgumentError, "a block is needed: what shall the worker do?" unless service

        @exit = nil
        @dismissed = false
        @ended = Thread::Queue.new
        forked = Thread::Queue.new
        @reaper = Thread.new { live(forked, service) }
        @reaper.name = "raffia worker reaper"
        @reaper.report_on_exception = false
        fact = forked.pop
        fact.is_a?(Exception) ? raise(fact) : @pid = fact
      ensure
        # Interrupted before the pid was known: the child is not wanted.
        forked&.close
      end

      # Waits while the pipe is full. False when the worker is gone.
      def write(payload) = @connection.writer.write(payload)

      def room_for?(payload) = @connection.writer.room_for?(payload)

      # The next frame; nil when the worker is gone.
      def read = @connection.reader.read

      def reply?(seconds) = @connection.reader.ready?(seconds)

      def payloads = @connection.payloads

      def alive? = @exit.nil?

      # Waits until it has ended; nil when it still runs after so many seconds.
      def exit(timeout = nil)
        @ended.pop(timeout: timeout)
        @exit
      end

      # Lets it finish and leave, without waiting for that. {#stop} may follow.
      def dismiss
        @dismissed = true
        @connection.writer.close
      end

      # Ends the worker: no more frames, and it leaves when it has finished. After `timeout`
      # seconds it gets SIGTERM, which raises inside the work, and after `grace` seconds SIGKILL.
      # Returns an Exit.
      def stop(timeout: 0, grace: GRACE)
        @connection.writer.close
        (timeout.positive? && self.exit(timeout)) || signal(:TERM, grace)
      ensure
        # Also when the steps above were interrupted, by a second Ctrl-C or a deadline.
        kill
      end

      # Ends it while another thread or fiber reads its frames, which then finds that there are no
      # more. (Ruby waits for the reader of an IO that is closed; a fiber may do so for ever.)
      def halt(grace: GRACE)
        signal(:TERM, grace)
      ensure
        signal(:KILL, nil)
      end

      def kill
        signal(:KILL, nil)
      ensure
        @connection.close
        @reaper.join
      end

      private

      def live(forked, service)
        parent = ::Process.pid
        pid = start(forked, parent, service) or return
        forked << pid
        reap(pid)
      rescue ClosedQueueError
        ::Process.kill(:KILL, pid)
        @connection.close
        reap(pid)
      rescue Exception => error # standard:disable Lint/RescueException
        ::Process.exit!(Child::TERMINATED) unless ::Process.pid == parent

        @connection&.close
        forked << error unless forked.closed?
      end

      # The pid of a child that runs; nil when it is not wanted any more. Raises Error when none
      # did.
      def start(forked, parent, service)
        FORK_TIMEOUTS.each do |timeout|
          @connection = WorkerConnection.new
          pid = fork_child(parent, service)
          @connection.parent_side
          return pid if @connection.running?(timeout)

          discard(pid)
          break if forked.closed?
        end
        return if forked.closed?

        raise Error,
          "#{FORK_TIMEOUTS.size} workers were forked, and none of them began to run: is the " \
          "machine overloaded, or does something hang in a hook of fork?"
      end

      def fork_child(parent, service)
        OutputBuffers.flush
        ::Process.fork do
          Child.new(@connection, parent).run(&service)
        ensure
          # Also when a Ctrl-C meets the child before it has a handler: nothing of the parent's may
          # run here.
          ::Process.exit!(Child::TERMINATED)
        end
      end

      # One that hangs before our code has begun nothing.
      def discard(pid)
        ::Process.kill(:KILL, pid)
        @connection.close
        ::Process.wait(pid)
      rescue Errno::ESRCH, Errno::ECHILD
        nil # it has ended, and was reaped elsewhere
      end

      # Death is seen here and not by the end of the pipe, which never comes while a grandchild
      # holds it. Frames that the worker had written are still read, and then our side is closed,
      # which ends a read that waits.
      def reap(pid)
        _, status = ::Process.wait2(pid)
      rescue Errno::ECHILD
        status = nil # reaped elsewhere, by Process.waitall for example
      ensure
        @exit = Exit.from(pid, status)
        @ended.close
        sleep(NAP) until @dismissed || @connection.reader.drained?
        @connection.close
      end

      def signal(name, timeout)
        ::Process.kill(name, @pid) if alive?
        self.exit(timeout)
      rescue Errno::ESRCH
        self.exit(timeout)
      end
    end
  end
end
