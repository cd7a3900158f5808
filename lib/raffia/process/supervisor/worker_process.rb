# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "hang_detector"

module Raffia
  module Process
    class Supervisor
      # One worker process, seen from the supervisor: :booting until it says ready, then :ready,
      # perhaps
      # :draining, and in the end :gone.
      #
      # @api private
      class WorkerProcess
        # How many messages wait for a worker that does not read.
        BACKLOG = 32
        # Seconds after which a heartbeat is late. Workers beat once a second.
        LATE = 3

        # Its forker.
        attr_reader :forker
        attr_reader :lane
        attr_reader :channel
        # nil until that is known.
        attr_reader :pid
        attr_reader :state
        # When the state began, in the time of {Clock}.
        attr_reader :since
        # When something must have happened.
        attr_reader :deadline
        # Why it was told to end.
        attr_reader :reason

        def initialize(forker, channel, board, lane, boot_timeout)
          @forker = forker
          @channel = channel
          @board = board
          @lane = lane
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

        # For how long it has been ready; nil when it never was.
        def served(now) = @ready_at && now - @ready_at

        # Asks it to finish and leave. `patience`: seconds until SIGKILL.
        def drain(patience, reason)
          return if draining?

          @reason ||= reason
          @board.mark(:dismissed)
          enter(:draining, patience)
          tell("drain")
        end

        # As all are to end. Who does not serve yet has nothing to finish: it gets less time, and
        # none at all when it is not born.
        def dismiss(patience, grace, reason)
          return kill(reason) unless @pid

          drain(booting? ? [grace, patience].min : patience, reason)
        end

        # It was told to drain just before it was ready, so it may have something to finish after
        # all.
        def served_late(patience)
          enter(:draining, patience) if draining?
        end

        def kill(reason, stop_reason = :dismissed)
          @reason = reason
          @board.mark(stop_reason)
          @deadline = nil
          # Not forked yet: the closed channel tells the template to leave it.
          @pid ? signal(:KILL) : @channel.close
        end

        # It has ended.
        def gone
          @channel.close
          enter(:gone, nil)
        end

        # Never waits: a worker that does not read gets the messages later, as far as there is room
        # to keep them.
        def tell(name, data = nil)
          @backlog << [name, data] if @backlog.size < BACKLOG
          flush
        end

        # Has it accept the connections that wait in these sockets, which are another slot's.
        # Whether it was told.
        def hand_over(sockets) = @channel.send(:accept, nil, sockets)

        def flush = (@backlog.shift while @backlog.any? && @channel.send(*@backlog.first))

        # Whether its last heartbeat is recent; true for one that never beats.
        def responsive?(now)
          last_beat = @board.last_beat
          last_beat.zero? || now - [last_beat, @since].max < LATE
        end

        # Seconds that it was given.
        def patience = format("%g", @deadline - @since)

        def overdue?(now) = !@deadline.nil? && now >= @deadline

        # (see HangDetector#step) What was done: :dump, :TERM or :KILL.
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
