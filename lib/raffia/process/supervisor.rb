# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/signals"
require_relative "memory"

module Raffia
  module Process
    # Keeps a number of worker processes alive: starts them, replaces those that die or hang, one after the other by a newer
    # generation, and ends them. It knows nothing of what they do, and it does no work itself: one loop in plain Ruby.
    #
    #   Raffia::Process::Supervisor.new(workers: 2, slot: ->(index) { [listener(index)] }) do |seat|
    #     seat.ready!
    #     serve(seat.ios) until seat.stopping?
    #   end.run
    #
    # The guide says which signals it understands.
    class Supervisor
      # Exit status of {run} when workers died before they were ready, again and again, and none was left.
      GAVE_UP = 1
    end
  end
end

require_relative "supervisor/settings"
require_relative "supervisor/boards"
require_relative "supervisor/fleet"
require_relative "supervisor/inbox"
require_relative "supervisor/report"

module Raffia
  module Process
    class Supervisor
      # What each signal asks for.
      SIGNALS = {TERM: :stop, INT: :interrupt, QUIT: :dump, HUP: :restart, USR1: :reopen, USR2: :upgrade, TTIN: :grow, TTOU: :shrink}.freeze

      # @param given [Hash] see {Settings}
      # @yieldparam seat [Seat] in each worker, which ends with the block
      # @raise [ConfigError]
      def initialize(**given, &work)
        raise ArgumentError, "a block is needed: what shall a worker do?" unless work

        @settings = Settings.from(given)
        @work = work
        @log = @settings.log
        @state = :new
        @generation = 1
        @status = 0
        @inbox = Inbox.new
      end

      # Supervises until it is told to stop, by a signal or {stop}. In the main thread, to which signals belong.
      # @return [Integer] exit status: 0, or GAVE_UP
      def run
        raise Closed, "a supervisor runs once" unless @state == :new

        Signals.with(chain: false, **handlers) { supervise }
        @status
      ensure
        close
      end

      # These ask, from any thread or signal handler; the loop does it.

      # @return [void]
      def stop = @inbox.push(:stop)

      # Without waiting for what the workers have begun.
      # @return [void]
      def stop! = @inbox.push(:kill)

      # Writes what the workers are doing: sends "dump" to each.
      # @return [void]
      def dump = @inbox.push(:dump)

      # @return [void]
      def reopen = @inbox.push(:reopen)

      # @param name [String, Symbol]
      # @param data [Object, nil] that JSON knows
      # @return [void]
      def broadcast(name, data = nil) = @inbox.push(:broadcast, name, data)

      # @return [Hash] how all are
      def status = Report.new(self, @fleet).to_h

      # @return [Symbol] :new, :booting, :running, :stopping or :stopped
      attr_reader :state
      # @return [Integer]
      attr_reader :generation
      # @return [Settings]
      attr_reader :settings

      # @return [Boards, nil] nil before {run}
      def boards = @fleet&.boards

      # @api private what {Fleet} tells

      def ready(slot, member)
        member.ready
        slot.crashes.booted
        hook(:on_worker_ready, Report.slot(slot))
        return unless @state == :booting && @fleet.slots.all? { |one| one.current&.ready? }

        @state = :running
        @log&.info("#{@settings.name}: #{@fleet.slots.size} workers are ready")
      end

      # @api private
      def heard(slot, member, name, data)
        case name
        when "leaving" then vacate(slot, member, "asked to leave")
        when "status" then member.tell("status", status)
        else hook(:on_message, slot.index, name, data)
        end
      end

      # @api private
      def lost(slot, member, role, how)
        slot.note_exit(how, member) unless member.draining? && how.clean?
        replace(slot, member) if role == :current && !stopping?
        say_lost(slot, member, how)
        member.gone
        hook(:on_worker_exit, Report.slot(slot), how)
      end

      private

      def handlers
        SIGNALS.to_h { |name, command| [name, ->(_) { @inbox.push(command) }] }.merge(CHLD: ->(_) { @inbox.push(:reap) })
      end

      def supervise
        ::Process.setproctitle("#{@settings.name}: supervisor")
        @state = :booting
        @fleet = Fleet.new(@settings, self)
        @fleet.open_slots(@settings.workers)
        @fleet.nursery = Nursery.new(@settings, @work, @fleet.boards, @generation, method(:disown))
        @fleet.slots.each { |slot| @fleet.start(slot) }
        turn until @state == :stopping && @fleet.members.empty?
      end

      def turn
        wait
        @inbox.each { |command, *arguments| obey(command, *arguments) }
        @fleet.hear
        @fleet.reap
        now = Clock.now
        @fleet.check(now)
        return if stopping?

        @fleet.start_due(now)
        give_up if @fleet.slots.any? { |slot| slot.crashes.count(now) >= @settings.crash_limit } && @fleet.members.none?(&:ready?)
      end

      def wait
        now = Clock.now
        ::IO.select([@inbox.to_io, *@fleet.ios], nil, nil, [@fleet.due(now) - now, 0].max)
      end

      def obey(command, *arguments)
        case command
        when :stop then drain
        when :interrupt then stopping? ? kill : drain
        when :kill then kill
        when :dump, :reopen then tell_all(command)
        when :broadcast then tell_all(*arguments)
        when :upgrade, :restart, :grow, :shrink then @log&.warn("#{command} is not there yet")
        end
      end

      def tell_all(...) = @fleet.members.each { |member| member.tell(...) }

      def stopping? = @state == :stopping

      def drain
        return if stopping?

        @state = :stopping
        @log&.info("#{@settings.name}: stopping")
        hook(:on_stop)
        @fleet.members.each { |member| member.drain(@settings.drain_timeout, "stop") }
      end

      def kill
        drain
        @fleet.members.each { |member| member.kill("stop at once") }
      end

      def vacate(slot, member, reason)
        member.drain(@settings.drain_timeout, reason)
        slot.vacate(Clock.now) if member.equal?(slot.current)
      end

      def replace(slot, member)
        now = Clock.now
        slot.due = now + slot.crashes.died(now, member.served(now))
      end

      def give_up
        @status = GAVE_UP
        @log&.fatal("#{@settings.name}: workers died #{@settings.crash_limit} times before they were ready, and none is left. Their own " \
          "messages, above, say why. Giving up.")
        drain
      end

      def say_lost(slot, member, how)
        return if member.draining? && how.clean?

        ending = how.signal ? "was killed by #{how.signal}" : "exited with status #{how.status.inspect}"
        why = " (#{member.reason})" if member.reason
        @log&.warn("worker #{slot.index} (#{how.pid || "not yet born"}) #{ending} while it was #{member.state}#{why}")
      end

      # An error of a hook is said and ends nothing.
      def hook(name, *arguments)
        @settings.hooks[name]&.call(*arguments)
      rescue => error
        @log&.error("the hook #{name} failed: #{error.full_message(highlight: false)}")
      end

      def disown(keep)
        @inbox.close
        @fleet.disown(keep)
      end

      # However the loop ended: no worker outlives it.
      def close
        @fleet&.members&.each { |member| member.kill("the supervisor ends") }
        @fleet&.members&.each { |member| ::Process.wait(member.pid) if member.pid }
      rescue Errno::ECHILD
        nil
      ensure
        @state = :stopped
        @inbox.close
        @fleet&.disown
      end
    end
  end
end
