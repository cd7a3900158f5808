# frozen_string_literal: true

require_relative "boards"
require_relative "member"
require_relative "nursery"
require_relative "slot"

module Raffia
  module Process
    class Supervisor
      # All slots and the workers in them: starts, hears, watches and reaps them. What is to happen when is for {Supervisor} to say.
      #
      # @api private
      class Fleet
        # @return [Array<Slot>]
        attr_reader :slots
        # @return [Boards]
        attr_reader :boards
        # @return [Nursery] that bears the workers of new slots
        attr_accessor :nursery

        # @param settings [Settings]
        # @param supervisor [#heard, #ready, #lost] hears of it
        def initialize(settings, supervisor)
          @settings = settings
          @supervisor = supervisor
          @log = settings.log
          @slots = []
          @boards = Boards.new(settings.max_workers, settings.words)
          @awake = Clock.now
        end

        # Makes slots, with their resources, up to this number; no workers yet.
        # @return [Array<Slot>] the new ones
        def open_slots(count)
          (@slots.size...count).map do |index|
            ios = @settings.slot ? Array(@settings.slot.call(index)).map(&:to_io) : []
            @slots << Slot.new(index, ios, @settings.crash_window)
            @slots.last
          end
        end

        # @return [Array<Member>]
        def members = @slots.flat_map(&:members)

        # @return [Array<IO>] to wait for
        def ios = members.filter_map { |member| member.channel.to_io unless member.channel.closed? }

        # Starts a worker. One that cannot be started is one that died at once.
        # @param slot [Slot]
        # @param nursery [Nursery]
        # @param successor [Boolean]
        # @return [Member, nil]
        def start(slot, nursery = slot.nursery || @nursery, successor: false)
          return unless (lane = slot.lane)

          channel, pid = nursery.bear(slot, lane)
          member = Member.new(nursery, channel, @boards.board(slot.index, lane), lane, @settings.boot_timeout)
          member.born(pid) if pid
          slot.nursery ||= nursery
          slot.seat(member, successor: successor)
          member
        rescue => error
          @log&.error("worker #{slot.index} cannot be started: #{error.message} (#{error.class})")
          slot.due = Clock.now + slot.crashes.died(Clock.now, nil) unless successor
          nil
        end

        # Starts what is due.
        # @return [void]
        def start_due(now)
          @slots.each { |slot| start(slot) if slot.current.nil? && slot.due && slot.due <= now && slot.successor.nil? }
        end

        # Reads all that workers have sent.
        # @return [void]
        def hear
          @slots.each do |slot|
            slot.members.each { |member| hear_member(slot, member) }
          end
        end

        # Takes leave of the workers that have ended.
        # @return [void]
        def reap
          @slots.each do |slot|
            slot.members.each do |member|
              how = ending(member) or next
              slot.remove(member).then { |role| @supervisor.lost(slot, member, role, how) }
            end
          end
        end

        # Kills what is overdue and warns what hangs.
        # @return [void]
        def check(now)
          @awake = now if now - (@checked || now) > 3 # stopped, or without a CPU: so may have been the workers
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
          [now + 1, *@slots.filter_map(&:due), *members.filter_map(&:deadline)].min
        end

        # Closes what is ours: in a child all but what it keeps.
        # @param keep [Array<IO>]
        # @return [void]
        def disown(keep = [])
          [*ios, *@slots.flat_map(&:ios)].uniq.each { |io| io.close unless keep.include?(io) }
        end

        private

        def hear_member(slot, member)
          until member.channel.closed? || (message = member.channel.receive_now) == :none
            return member.channel.close unless message

            name, data, ios = message
            ios.each(&:close)
            case name
            when "born" then member.born(data)
            when "ready" then @supervisor.ready(slot, member) if member.booting?
            else @supervisor.heard(slot, member, name, data)
            end
          end
        end

        def ending(member)
          return (Exit.new(pid: nil, signal: nil, status: nil) if member.channel.closed?) unless member.pid

          pid, status = ::Process.wait2(member.pid, ::Process::WNOHANG)
          Exit.from(pid, status) if pid
        rescue Errno::ECHILD
          Exit.from(member.pid, nil)
        end

        def overdue(slot, member)
          what = member.booting? ? "was not ready within #{@settings.boot_timeout} s" : "did not finish within #{@settings.drain_timeout} s"
          @log&.error("worker #{slot.index} (#{member.pid}) #{what}: it is killed")
          member.kill(member.booting? ? "boot timeout" : "drain timeout")
        end

        def check_beat(slot, member, now)
          done = member.check_beat(now, @awake, @settings.hang_timeout, @settings.hang_grace)
          @log&.error("worker #{slot.index} (#{member.pid}) has no heartbeat: #{done}") if done.is_a?(Symbol)
        end
      end
    end
  end
end
