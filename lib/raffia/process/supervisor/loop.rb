# frozen_string_literal: true

require_relative "events"
require_relative "fleet"
require_relative "orders"
require_relative "renewals"
require_relative "report"
require_relative "restart"
require_relative "sizing"
require_relative "upkeep"

module Raffia
  module Process
    class Supervisor
      # What the supervisor does all day: waits, hears, reaps, and looks what is due. Nothing here
      # blocks but the one wait.
      #
      # @api private
      class Loop
        # @return [Fleet]
        attr_reader :fleet
        # @return [Symbol] :booting, :running, :stopping or :stopped
        attr_reader :state
        # @return [Restart]
        attr_reader :restart
        # @return [Renewals]
        attr_reader :renewals
        # @return [Settings]
        attr_reader :settings

        # @param settings [Settings]
        # @param work [#call]
        # @param inbox [Inbox]
        # @param notifier [Notifier]
        # @param watchers [Watchers]
        def initialize(settings, work, inbox, notifier, watchers)
          @settings = settings
          @work = work
          @inbox = inbox
          @notifier = notifier
          @watchers = watchers
          @log = settings.log
          @state = :booting
          @status = 0
          @events = Events.new(self)
          @fleet = Fleet.new(settings, @events)
          @renewals = Renewals.new(@fleet, settings.drain_timeout, @log)
          @restart = Restart.new(@fleet, @renewals, self)
          sizing = Sizing.new(@fleet, self)
          @orders = Orders.new(self, @restart, sizing)
          @upkeep = Upkeep.new(self, sizing)
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

        # @return [Hash]
        def report = Report.new(self).to_h

        # All serve, for the first time.
        # @return [void]
        def running
          @state = :running
          @log&.info("#{@settings.name}: " \
            "#{(@fleet.slots.size == 1) ? "1 worker is" : "#{@fleet.slots.size} workers are"} " \
            "ready")
          @notifier.ready("#{@fleet.slots.size} workers")
        end

        # An error of a hook is said and ends nothing.
        def hook(name, *arguments)
          @settings.hooks[name]&.call(*arguments)
        rescue => error
          @log&.error("the hook #{name} failed: #{error.full_message(highlight: false)}")
        end

        # @return [void]
        def tell_all(name, data = nil) = @fleet.members.each { |member| member.tell(name, data) }

        # @return [Boolean]
        def booting? = @state == :booting

        # @return [Boolean]
        def stopping? = @state == :stopping

        # @return [void]
        def drain
          return if stopping?

          @state = :stopping
          @log&.info("#{@settings.name}: stopping")
          @notifier.stopping
          hook(:on_stop)
          @fleet.slots.each { |slot| slot.due = nil }
          @fleet.members.each do |member|
            member.dismiss(@settings.drain_timeout, @settings.hang_grace, "stop")
          end
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

        # What {Restart} tells. Both mean something to systemd, once we have been ready: a restart
        # may be asked for before that.
        # @return [void]
        def reloading(text) = booting? ? @notifier.status(text) : @notifier.reloading(text)

        # @return [void]
        def reloaded(text) = booting? ? @notifier.status(text) : @notifier.ready(text)

        private

        def turn
          wait
          @inbox.each { |command, *arguments| @orders.obey(command, *arguments) }
          @fleet.hear
          @fleet.reap
          now = Clock.now
          @fleet.check(now)
          @notifier.tick(now)
          @upkeep.step(now) unless stopping?
        end

        def wait
          now = Clock.now
          rest = [[@fleet.due(now), *@notifier.due].min - now, 0].max
          readable, = ::IO.select([@inbox.to_io, *@fleet.ios, *@watchers.ios], nil, nil, rest)
          @watchers.call(readable) if readable
        end

        # In a child.
        def disown(keep)
          @inbox.close
          @watchers.ios.each { |io| io.close unless keep.include?(io) }
          @fleet.disown(keep)
        end
      end
    end
  end
end
