# frozen_string_literal: true

require_relative "scoreboards"
require_relative "crash_backoff"
require_relative "worker_process"
require_relative "forker_set"
require_relative "reaper"
require_relative "slot"

module Raffia
  module Process
    class Supervisor
      # Starts, hears, watches and reaps the workers of all slots. {Supervisor} decides when.
      #
      # @api private
      class WorkerManager
        NAP = 0.1

        attr_reader :slots, :boards, :forkers

        def initialize(settings, events)
          @settings = settings
          @events = events
          @log = settings.log
          @slots = []
          @forkers = ForkerSet.new(settings)
          @boards = Scoreboards.new(settings.max_workers, settings.words)
          @awake = Clock.now
          # Seconds between checks of heartbeats and memory.
          @tick = [1, settings.hang_grace / 2.0, settings.memory_interval,
            *settings.hang_timeout&.fdiv(2)].min
        end

        # Makes slots, with their resources, up to this number. Returns the new ones, without
        # workers.
        def open_slots(count)
          (@slots.size...count).map do |index|
            ios = @settings.slot ? Array(@settings.slot.call(index)).map(&:to_io) : []
            @slots <<
              Slot.new(index, ios, CrashBackoff.new(@settings.crash_window, @settings.min_life))
            @slots.last
          end
        end

        def workers = @slots.flat_map(&:workers)

        def serving? = @slots.all? { |slot| slot.current&.ready? }

        def ios
          @forkers.ios +
            workers.filter_map { |worker| worker.channel.to_io unless worker.channel.closed? }
        end

        # A worker that cannot be started counts as one that died at once.
        def start(slot, forker = @forkers.for(slot.forker), successor: false)
          row = slot.row or return slot.wait(Clock.now + NAP)
          return put_off(slot, successor) if forker.dead?

          board = @boards.board(slot.index, row)
          board.reset # now: a worker may beat before its fork returns here
          channel, pid = forker.spawn(slot, row)
          worker = WorkerProcess.new(forker, channel, board, row, @settings.boot_timeout)
          worker.started(pid) if pid
          slot.forker = forker unless successor
          slot.assign(worker, successor: successor)
          worker
        rescue WorkerDied
          put_off(slot, successor)
        rescue => error
          @log&.error("worker #{slot.index} cannot be started: #{error.message} (#{error.class})")
          slot.due = Clock.now + slot.backoff.died(Clock.now, nil) unless successor
          nil
        end

        def start_due(now)
          @slots.each { |slot| start(slot) if slot.vacant? && slot.due <= now }
        end

        def hear
          @forkers.hear
          @slots.each do |slot|
            slot.workers.each { |worker| hear_worker(slot, worker) }
          end
        end

        # Returns exits by pid.
        def reap
          ended = @forkers.adopting ? Reaper.all_ended : Reaper.ended(workers.filter_map(&:pid))
          # The last messages of a process that has ended may not have been read yet.
          hear if ended.any? || workers.any? { |worker| worker.pid.nil? && worker.channel.closed? }
          @forkers.reap(ended)
          @slots.each do |slot|
            slot.workers.each do |worker|
              how = ended[worker.pid] || missing(worker) or next
              @events.lost(slot, worker, slot.remove(worker), how)
            end
          end
          ended
        end

        def check(now)
          # this process was stopped, or without a CPU: so may have been the workers
          @awake = now if now - (@checked || now) > 3
          @checked = now
          @slots.each do |slot|
            slot.workers.each do |worker|
              worker.flush
              overdue(slot, worker) if worker.overdue?(now)
              check_beat(slot, worker, now) if @settings.hang_timeout
            end
          end
        end

        # When something is due, at the latest in a second.
        def due(now)
          [now + @tick, *@forkers.deadline, *@slots.select(&:vacant?).map(&:due),
            *workers.filter_map(&:deadline)].min
        end

        def end_all
          workers.each { |worker| worker.kill("the supervisor ends") }
          @forkers.close
          workers.filter_map(&:pid).each { |pid| Reaper.await(pid) }
        end

        # Closes what is ours: in a child all but what it keeps.
        def disown(keep = [])
          [*ios, *@slots.flat_map(&:ios)].uniq.each { |io| io.close unless keep.include?(io) }
        end

        private

        # Its forker has ended, which is no failure of the slot: it is tried again until there is
        # another forker.
        def put_off(slot, successor)
          slot.due = Clock.now + NAP unless successor
          nil
        end

        def hear_worker(slot, worker)
          until worker.channel.closed? || (message = worker.channel.receive_now) == :none
            return worker.channel.close unless message

            name, data, ios = message
            ios.each(&:close)
            case name
            when "started" then worker.started(data)
            when "failed" then @events.load_failed(slot, worker)
            when "ready"
              if worker.booting?
                @events.ready(slot, worker)
              else
                worker.served_late(@settings.drain_timeout)
              end
            else @events.received(slot, worker, name, data)
            end
          end
        end

        # It was never forked, or was reaped elsewhere.
        def missing(worker)
          return unless worker.channel.closed?
          return Exit.new(pid: nil, signal: nil, status: nil) unless worker.pid

          ::Process.kill(0, worker.pid)
          nil
        rescue Errno::ESRCH
          Exit.from(worker.pid, nil)
        end

        def overdue(slot, worker)
          what = if worker.booting?
            "was not ready within #{@settings.boot_timeout} s"
          else
            "did not finish within #{worker.time_limit} s"
          end
          @log&.error("worker #{slot.index} (#{worker.pid}) #{what}: it is killed")
          worker.kill(worker.booting? ? "boot timeout" : "drain timeout")
        end

        def check_beat(slot, worker, now)
          done = worker.check_beat(now, @awake, @settings.hang_timeout, @settings.hang_grace)
          @log&.error("worker #{slot.index} (#{worker.pid}) has no heartbeat: #{done}") if done
        end
      end
    end
  end
end
