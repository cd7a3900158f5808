# frozen_string_literal: true

require_relative "hang_detector"

module Raffia
  module Process
    class Supervisor
      # One worker process, seen from the supervisor: :booting, :ready, perhaps :draining, and
      # :gone.
      #
      # @api private
      class WorkerProcess
        BACKLOG = 32
        # Seconds after which a heartbeat is late. Workers beat once a second.
        LATE = 3
        BEAT = 1

        attr_reader :forker, :row, :channel, :pid, :state, :since, :deadline, :reason

        def initialize(forker, channel, board, row, boot_timeout)
          @forker = forker
          @channel = channel
          @board = board
          @row = row
          @boot_timeout = boot_timeout
          @backlog = []
          @hang = HangDetector.new(board)
          enter(:booting, boot_timeout)
        end

        def started(pid)
          @pid = pid
          enter(:booting, @boot_timeout) if booting?
        end

        def booting? = @state == :booting

        def ready? = @state == :ready

        def draining? = @state == :draining

        def ready
          @ready_at = Clock.now
          enter(:ready, nil)
        end

        def served(now) = @ready_at && now - @ready_at

        # Asks it to finish and leave. `timeout`: seconds until SIGKILL.
        def drain(timeout, reason)
          return if draining?

          @reason ||= reason
          @board.mark(:dismissed)
          enter(:draining, timeout)
          tell("drain")
        end

        # All are to end. A worker that boots has nothing to finish: it gets less time, and none
        # when it is not forked yet.
        def dismiss(timeout, grace, reason)
          return kill(reason) unless @pid

          drain(booting? ? [grace, timeout].min : timeout, reason)
        end

        # It became ready after the request to drain, so it may have something to finish after all.
        def served_late(timeout)
          enter(:draining, timeout) if draining?
        end

        def kill(reason, stop_reason = :dismissed)
          @reason = reason
          @board.mark(stop_reason)
          @deadline = nil
          # Not forked yet: the closed channel tells the template to drop it.
          @pid ? signal(:KILL) : @channel.close
        end

        def gone
          @channel.close
          enter(:gone, nil)
        end

        # Never waits: a worker that does not read gets the messages later, up to a limit.
        def tell(name, data = nil)
          @backlog << [name, data] if @backlog.size < BACKLOG
          flush
        end

        # Sends it the sockets of another slot, to accept the connections that wait.
        def accept_from(sockets) = @channel.send(:accept, nil, sockets)

        # Sends it a connection with a request, see {WorkerContext#on_probe}.
        def probe(socket) = @channel.send(:probe, nil, [socket])

        def flush = (@backlog.shift while @backlog.any? && @channel.send(*@backlog.first))

        # Whether its last heartbeat is recent; true for one that never beats.
        def responsive?(now)
          last_beat = @board.last_beat
          last_beat.zero? || now - [last_beat, @since].max < LATE
        end

        # Seconds by which its heartbeat is overdue; 0.0 for one that never beats.
        def silence(now)
          last_beat = @board.last_beat
          last_beat.zero? ? 0.0 : [now - [last_beat, @since].max - BEAT, 0.0].max
        end

        def time_limit = format("%g", @deadline - @since)

        def overdue?(now) = !@deadline.nil? && now >= @deadline

        # Returns the step: :dump, :TERM or :KILL, see {HangDetector#step}.
        def check_beat(now, since, timeout, grace)
          # SIGTERM may make it say that it drains, on another thread than the one that hangs.
          watched = ready? || (draining? && @hang.terminated?)
          return @hang.forgive unless watched

          step = @hang.step(now, since, timeout, grace)
          case step
          when :dump then tell("dump")
          when :TERM then signal(:TERM)
          when :KILL then kill("no heartbeat", :hung)
          end
          step
        end

        private

        def enter(state, limit)
          @state = state
          @since = Clock.now
          @deadline = limit && @since + limit
        end

        def signal(name)
          ::Process.kill(name, @pid) if @pid && @state != :gone
        rescue Errno::ESRCH
          nil
        end
      end
    end
  end
end
