# frozen_string_literal: true

require_relative "boards"
require_relative "crashes"
require_relative "member"
require_relative "nurseries"
require_relative "reaper"
require_relative "slot"

module Raffia
  module Process
    class Supervisor
      # All slots and the workers in them: starts, hears, watches and reaps them. What is to happen
      # when is for {Supervisor} to say.
      #
      # @api private
      class Fleet
        # Seconds before it is tried again to start a worker in a slot that has too many.
        NAP = 0.1

        # @return [Array<Slot>]
        attr_reader :slots
        # @return [Boards]
        attr_reader :boards
        # @return [Nurseries]
        attr_reader :nurseries

        # @param settings [Settings]
        # @param events [Events] hears of it
        def initialize(settings, events)
          @settings = settings
          @events = events
          @log = settings.log
          @slots = []
          @nurseries = Nurseries.new(settings)
          @boards = Boards.new(settings.max_workers, settings.words)
          @awake = Clock.now
          # How often heartbeats and memory are looked at.
          @tick = [1, settings.hang_grace / 2.0, settings.memory_interval,
            *settings.hang_timeout&.fdiv(2)].min
        end

        # Makes slots, with their resources, up to this number; no workers yet.
        # @return [Array<Slot>] the new ones
        def open_slots(count)
          (@slots.size...count).map do |index|
            ios = @settings.slot ? Array(@settings.slot.call(index)).map(&:to_io) : []
            @slots << Slot.new(index, ios, Crashes.new(@settings.crash_window, @settings.min_life))
            @slots.last
          end
        end

        # @return [Array<Member>]
        def members = @slots.flat_map(&:members)

        # @return [Boolean] whether each slot has a worker that is ready
        def serving? = @slots.all? { |slot| slot.current&.ready? }

        # @return [Array<IO>] to wait for
        def ios
          @nurseries.ios +
            members.filter_map { |member| member.channel.to_io unless member.channel.closed? }
        end

        # Starts a worker. One that cannot be started is one that died at once.
        # @param slot [Slot]
        # @param nursery [Nursery]
        # @param successor [Boolean]
        # @return [Member, nil]
        def start(slot, nursery = @nurseries.for(slot.nursery), successor: false)
          lane = slot.lane or return slot.wait(Clock.now + NAP)
          return put_off(slot, successor) if nursery.dead?

          board = @boards.board(slot.index, lane)
          board.still # now: a worker may beat before its fork returns here
          channel, pid = nursery.bear(slot, lane)
          member = Member.new(nursery, channel, board, lane, @settings.boot_timeout)
          member.born(pid) if pid
          slot.nursery = nursery unless successor
          slot.seat(member, successor: successor)
          member
        rescue WorkerDied
          put_off(slot, successor)
        rescue => error
          @log&.error("worker #{slot.index} cannot be started: #{error.message} (#{error.class})")
          slot.due = Clock.now + slot.crashes.died(Clock.now, nil) unless successor
          nil
        end

        # Starts what is due.
        # @return [void]
        def start_due(now)
          @slots.each { |slot| start(slot) if slot.vacant? && slot.due <= now }
        end

        # Reads all that workers have sent.
        # @return [void]
        def hear
          @nurseries.hear
          @slots.each do |slot|
            slot.members.each { |member| hear_member(slot, member) }
          end
        end

        # Takes leave of the workers that have ended.
        # @return [void]
        def reap
          ended = @nurseries.adopting ? Reaper.all_ended : Reaper.ended(members.filter_map(&:pid))
          # The last messages of a process that has ended may not have been read yet.
          hear if ended.any? || members.any? { |member| member.pid.nil? && member.channel.closed? }
          @nurseries.reap(ended)
          @slots.each do |slot|
            slot.members.each do |member|
              how = ended[member.pid] || missing(member) or next
              @events.lost(slot, member, slot.remove(member), how)
            end
          end
        end

        # Kills what is overdue and warns what hangs.
        # @return [void]
        def check(now)
          # stopped, or without a CPU: so may have been the workers
          @awake = now if now - (@checked || now) > 3
          @checked = now
          @slots.each do |slot|
            slot.members.each do |member|
              member.flush
              overdue(slot, member) if member.overdue?(now)
              check_beat(slot, member, now) if @settings.hang_timeout
            end
          end
        end

        # @return [Float] when something is due, at the latest in a second
        def due(now)
          [now + @tick, *@nurseries.deadline, *@slots.select(&:vacant?).map(&:due),
            *members.filter_map(&:deadline)].min
        end

        # Ends all, now.
        # @return [void]
        def end_all
          members.each { |member| member.kill("the supervisor ends") }
          @nurseries.close
          members.filter_map(&:pid).each { |pid| Reaper.await(pid) }
        end

        # Closes what is ours: in a child all but what it keeps.
        # @param keep [Array<IO>]
        # @return [void]
        def disown(keep = [])
          [*ios, *@slots.flat_map(&:ios)].uniq.each { |io| io.close unless keep.include?(io) }
        end

        private

        # The process that forks it has ended. That is no failure of the slot; it is tried again
        # until there is another one.
        def put_off(slot, successor)
          slot.due = Clock.now + NAP unless successor
          nil
        end

        def hear_member(slot, member)
          until member.channel.closed? || (message = member.channel.receive_now) == :none
            return member.channel.close unless message

            name, data, ios = message
            ios.each(&:close)
            case name
            when "born" then member.born(data)
            when "failed" then @events.load_failed(slot, member)
            when "ready"
              if member.booting?
                @events.ready(slot, member)
              else
                member.served_late(@settings.drain_timeout)
              end
            else @events.heard(slot, member, name, data)
            end
          end
        end

        # It was never born; or somebody else has reaped it.
        def missing(member)
          return unless member.channel.closed?
          return Exit.new(pid: nil, signal: nil, status: nil) unless member.pid

          ::Process.kill(0, member.pid)
          nil
        rescue Errno::ESRCH
          Exit.from(member.pid, nil)
        end

        def overdue(slot, member)
          what = if member.booting?
            "was not ready within #{@settings.boot_timeout} s"
          else
            "did not finish within #{member.patience} s"
          end
          @log&.error("worker #{slot.index} (#{member.pid}) #{what}: it is killed")
          member.kill(member.booting? ? "boot timeout" : "drain timeout")
        end

        def check_beat(slot, member, now)
          done = member.check_beat(now, @awake, @settings.hang_timeout, @settings.hang_grace)
          @log&.error("worker #{slot.index} (#{member.pid}) has no heartbeat: #{done}") if done
        end
      end
    end
  end
end
