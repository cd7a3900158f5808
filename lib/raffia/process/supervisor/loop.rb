# frozen_string_literal: true

require_relative "fleet"
require_relative "renewals"
require_relative "report"
require_relative "restart"
require_relative "sizing"
require_relative "wear"

module Raffia
  module Process
    class Supervisor
      # What the supervisor does all day: waits, hears, reaps, and looks what is due. Nothing here blocks but the one wait.
      #
      # @api private
      class Loop
        # @return [Fleet]
        attr_reader :fleet
        # @return [Symbol] :booting, :running, :stopping or :stopped
        attr_reader :state
        # @return [Restart]
        attr_reader :restart
        # @return [Settings]
        attr_reader :settings

        # @param settings [Settings]
        # @param work [#call]
        # @param inbox [Inbox]
        # @param notifier [Notifier]
        def initialize(settings, work, inbox, notifier)
          @settings = settings
          @work = work
          @inbox = inbox
          @notifier = notifier
          @log = settings.log
          @state = :booting
          @status = 0
          @fleet = Fleet.new(settings, self)
          @renewals = Renewals.new(@fleet, settings.drain_timeout, @log)
          @restart = Restart.new(@fleet, @renewals, self)
          @sizing = Sizing.new(@fleet, self)
          @wear = Wear.new(settings)
        end

        # @return [Integer] exit status
        def run
          @fleet.open_slots(@settings.workers)
          @fleet.nurseries.start(@work, @fleet.boards, method(:disown))
          @fleet.slots.each { |slot| @fleet.start(slot) }
          turn until stopping? && @fleet.members.empty?
          @status
        end

        # However it ended: no process outlives it.
        # @return [void]
        def close
          @fleet.end_all
        ensure
          @state = :stopped
          @fleet.disown
        end

        # What others tell.

        # @param slot [Slot]
        # @param member [Member]
        def ready(slot, member)
          member.ready
          slot.crashes.booted
          @renewals.ready(slot)
          hook(:on_worker_ready, Report.slot(slot))
          running if @state == :booting && @fleet.slots.all? { |one| one.current&.ready? }
        end

        def heard(slot, member, name, data)
          case name
          when "leaving" then leave(slot, member)
          when "status" then member.tell(:status, report)
          else hook(:on_message, slot.index, name, data)
          end
        end

        def lost(slot, member, role, how)
          slot.note_exit(how, member) unless member.draining? && how.clean?
          say_lost(slot, member, how)
          unless stopping?
            await_next(slot, member) if role == :current
            @restart.failed(slot, @renewals.lost(slot)) if role == :successor
          end
          member.gone
          hook(:on_worker_exit, Report.slot(slot), how)
        end

        # @return [Hash]
        def report = Report.new(self).to_h

        # An error of a hook is said and ends nothing.
        def hook(name, *arguments)
          @settings.hooks[name]&.call(*arguments)
        rescue => error
          @log&.error("the hook #{name} failed: #{error.full_message(highlight: false)}")
        end

        # @return [void]
        def tell_all(name, data = nil) = @fleet.members.each { |member| member.tell(name, data) }

        # @return [Boolean]
        def stopping? = @state == :stopping

        # @return [void]
        def drain
          return if stopping?

          @state = :stopping
          @log&.info("#{@settings.name}: stopping")
          @notifier.stopping
          hook(:on_stop)
          @fleet.members.each { |member| member.drain(@settings.drain_timeout, "stop") }
        end

        # @return [void]
        def kill
          drain
          @fleet.members.each { |member| member.kill("stop at once") }
        end

        # @param message [String]
        # @return [void]
        def give_up(message)
          @status = GAVE_UP
          @log&.fatal("#{@settings.name}: #{message} Giving up.")
          drain
        end

        # What {Restart} tells: both mean something to systemd.

        # @return [void]
        def reloading(text) = @notifier.reloading(text)

        # @return [void]
        def reloaded(text) = @notifier.ready(text)

        private

        def turn
          wait
          @inbox.each { |command, *arguments| obey(command, *arguments) }
          @fleet.hear
          @fleet.reap
          now = Clock.now
          @fleet.check(now)
          @notifier.tick(now)
          look_after(now) unless stopping?
        end

        def look_after(now)
          @restart.step
          @fleet.nurseries.tidy(@restart.needed, now)
          mend(now)
          @fleet.start_due(now)
          @sizing.step(now)
          @wear.worn(@fleet.members, now).each { |member, reason| renew(member, reason) }
          give_up_if_hopeless(now)
        end

        def mend(now)
          return give_up("what the workers share could not be loaded; its own message, above, says why.") if @fleet.nurseries.hopeless?

          @fleet.nurseries.mend(now) do |dead, new|
            @log&.error("the process that forks the workers (#{dead.pid}) has ended: another loads the code that is there now")
            @fleet.slots.each { |slot| slot.nursery = new if slot.nursery.equal?(dead) }
          end
        end

        def wait
          now = Clock.now
          ::IO.select([@inbox.to_io, *@fleet.ios], nil, nil, [[@fleet.due(now), @notifier.due].compact.min - now, 0].max)
        end

        def obey(command, *arguments)
          case command
          when :stop then drain
          when :interrupt then stopping? ? kill : drain
          when :kill then kill
          when :dump then tell_all(:dump)
          when :broadcast then tell_all(*arguments)
          when :reopen then reopen
          when :reap then nil # it is done at every turn
          when :upgrade then @log&.warn("USR2 is kept for changing the program without a pause, which is not there yet")
          else change(command, *arguments) unless stopping?
          end
        end

        def change(command, *arguments)
          case command
          when :restart then @restart.begin
          when :grow then @sizing.resize(@sizing.size + 1)
          when :shrink then @sizing.resize(@sizing.size - 1)
          when :resize then @sizing.resize(*arguments)
          end
        end

        def reopen
          hook(:on_reopen)
          tell_all(:reopen)
        end

        def running
          @state = :running
          @log&.info("#{@settings.name}: #{@fleet.slots.size} workers are ready")
          @notifier.ready("#{@fleet.slots.size} workers")
        end

        def renew(member, reason)
          slot = @fleet.slots.find { |one| one.current.equal?(member) }
          @renewals.add(slot, slot.nursery, reason) if slot && !slot.retired
        end

        # By its own wish, or somebody sent it SIGTERM. The next one need not wait until it has finished.
        def leave(slot, member)
          member.drain(@settings.drain_timeout, "asked to leave")
          slot.vacate(Clock.now) if member.equal?(slot.current) && !stopping?
        end

        def await_next(slot, member)
          now = Clock.now
          slot.due = now + slot.crashes.died(now, member.served(now))
        end

        def give_up_if_hopeless(now)
          return if @fleet.members.any?(&:ready?)
          return unless @fleet.slots.any? { |slot| slot.crashes.count(now) >= @settings.crash_limit }

          give_up("workers died #{@settings.crash_limit} times before they were ready, and none is left. Their own messages, above, say why.")
        end

        def say_lost(slot, member, how)
          return if member.draining? && how.clean?

          ending = how.signal ? "was killed by #{how.signal}" : "exited with status #{how.status.inspect}"
          why = " (#{member.reason})" if member.reason
          @log&.warn("worker #{slot.index} (#{how.pid || "not yet born"}) #{ending} while it was #{member.state}#{why}")
        end

        # In a child.
        def disown(keep)
          @inbox.close
          @fleet.disown(keep)
        end
      end
    end
  end
end
