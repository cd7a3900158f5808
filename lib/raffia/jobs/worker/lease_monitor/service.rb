# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../base/signals"
require_relative "../../../process/descendant"
require_relative "../../../process/files"
require_relative "isolation"
require_relative "subject"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # The life of a lease monitor, in its process. It ends when its worker has ended, and when
        # no suspect runs any more.
        #
        # @api private
        class Service
          include Process::Descendant

          # Commands, a byte each.
          ISOLATE = "i"
          DRAIN = "d"
          # Seconds between two looks at the worker.
          INTERVAL = 0.5
          # Part of the lease after which a worker that has not renewed it is helped.
          LATE = 0.5
          # Seconds between two attempts to reach the store.
          AGAIN = 0.5
          private_constant :INTERVAL, :LATE, :AGAIN

          # @param worker [Integer] pid
          # @param board [LeaseBoard]
          # @param commands [IO]
          # @param log [Logger]
          # @param store [Store]
          # @param identity [String] of the lease
          # @param heart [#beat, nil] is told that the worker makes progress
          # @param lenient [Boolean] whether a worker that computes in C makes progress, too
          # @param isolation [Hash] what {Isolation} needs besides
          def initialize(worker, board, commands, log, store:, identity:, heart:, lenient:,
            isolation:)
            @subject = Subject.new(worker, heart, lenient)
            @board = board
            @commands = commands
            @log = log
            @store = store
            @identity = identity
            @isolation = Isolation.new(board, log, **isolation)
            @looked = Clock.now
          end

          # Never returns.
          # @param ready [IO] is closed when it runs
          def run(ready)
            # A terminal, and systemd, tell the whole group to end: the worker decides when.
            Signals.with(chain: false,
              **%i[INT TERM HUP].to_h { |name| [name, ->(_) { @told = true }] }, **silent) do
              Process::Files.disown
              settle_streams
              ::Process.setproctitle("raffia: lease of #{@subject.pid}")
              ready.close
              watch
            end
            ::Process.exit!(0)
          rescue Exception => error # standard:disable Lint/RescueException
            @log.error({event: "lease monitor failed", error: error.full_message(highlight: false)})
            ::Process.exit!(1)
          end

          private

          def silent = %i[QUIT USR1 USR2 TTIN TTOU TSTP].to_h { |name| [name, ->(_) {}] }

          def watch
            look while listen && @subject.alive?
            report unless @board.token.zero?
            @board.leave
            # A supervisor that kills a worker waits for nothing any more.
            @isolation.finish { @board.interrupt if !@subject.alive? && @subject.dismissed? }
          end

          # @return [Boolean] false when the worker has closed its end
          def listen
            return true unless @commands.wait_readable(INTERVAL)

            commands = @commands.read_nonblock(64)
            @isolation.drain if commands.include?(DRAIN)
            @isolation.start if commands.include?(ISOLATE)
            true
          rescue EOFError
            false
          end

          def look
            @isolation.look
            # A worker that is stopped may stay so for ever: its jobs are for others.
            return unless @subject.running?

            observe
            return unless late?

            @subject.progress
            renew
          end

          # A look that comes late, because this process was stopped as well, counts as a short one.
          def observe
            now = Clock.now
            @board.observed += [now - @looked, 2 * INTERVAL].min
            @looked = now
          end

          def late? = !@board.token.zero? && Clock.now - @board.renewed_at >= @board.ttl * LATE

          def renew
            @board.renewed if @store.renew(lease)
          rescue StoreUnavailable
            nil
          end

          def lease = Lease.new(identity: @identity, token: @board.token, ttl: @board.ttl)

          # Nobody else knows what had begun, so this is tried until the lease has run out by
          # itself.
          def report
            begun = charged? ? @board.begun : []
            give_up = Clock.now + @board.ttl
            begin
              tell(@store.report_death(lease, begun), begun)
            rescue StoreUnavailable
              sleep(AGAIN)
              retry if Clock.now < give_up
            end
          end

          # A worker that was told to end may be killed for not doing so: that is no job's fault,
          # unless it hung.
          def charged? = @subject.hung? || !(@told || @board.leaving? || @subject.dismissed?)

          def tell(recovered, begun)
            return if recovered.empty?

            @log.warn({event: "worker died", pid: @subject.pid,
              **(@subject.hung? ? {hung: true} : {}), jobs: recovered.size, begun: begun.size,
                       jids: recovered.first(20).map(&:jid).join(" ")})
            recovered.select(&:dead).each do |job|
              @log.error({event: "buried", jid: job.jid, queue: job.queue, crashes: job.crashes,
                why: "its worker died under it once too often"})
            end
          end
        end
      end
    end
  end
end
