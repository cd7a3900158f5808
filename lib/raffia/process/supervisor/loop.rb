# frozen_string_literal: true

require_relative "worker_event_handler"
require_relative "worker_manager"
require_relative "command_handler"
require_relative "replacements"
require_relative "status_report"
require_relative "rolling_restart"
require_relative "scaler"
require_relative "autoscaler"
require_relative "maintenance"

module Raffia
  module Process
    class Supervisor
      # The loop of a supervisor: waits, reads messages, reaps, and does what is due. It blocks
      # nowhere but in the one wait.
      #
      # @api private
      class Loop
        attr_reader :manager, :state, :restart, :replacements, :settings, :handover, :notifier,
          :watchers
        # nil where the number of workers does not follow their load.
        attr_reader :autoscaler

        def initialize(settings, work, command_queue, notifier, watchers, handover)
          @settings = settings
          @work = work
          @command_queue = command_queue
          @notifier = notifier
          @watchers = watchers
          @handover = handover
          @log = settings.log
          @state = :booting
          @gave_up = false
          @events = WorkerEventHandler.new(self)
          @manager = WorkerManager.new(settings, @events)
          @replacements = Replacements.new(@manager, settings.drain_timeout, @log)
          @restart = RollingRestart.new(@manager, @replacements, self)
          scaler = Scaler.new(@manager, self)
          if settings.autoscale
            @autoscaler = Autoscaler.new(settings.autoscale, @manager, self, scaler)
          end
          @command_handler = CommandHandler.new(self, @restart, scaler, @autoscaler)
          @maintenance = Maintenance.new(self, scaler)
        end

        # Returns false when it gave up.
        def run
          @handover.loop = self
          @manager.boards.held = @handover.held?
          @manager.open_slots(@settings.workers)
          @manager.forkers.start(@work, @manager.boards, method(:disown))
          @manager.slots.each { |slot| @manager.start(slot) }
          turn until stopping? && @manager.workers.empty?
          !@gave_up
        end

        # However it ended: no process outlives it.
        def close
          @manager.end_all
        ensure
          @state = :stopped
          @manager.disown
        end

        def report = StatusReport.new(self).to_h

        def running
          @state = :running
          count = @manager.slots.size
          workers = (count == 1) ? "1 worker is" : "#{count} workers are"
          @log&.info("#{@settings.name}: #{workers} ready")
          @notifier.ready("#{count} workers") unless @handover.held?
          @handover.serving
        end

        # Workers take no new work: those of another supervisor do.
        def hold
          @manager.boards.held = true
          tell_all(:hold)
        end

        # Workers serve, from now on or again.
        def release
          @manager.boards.held = false
          tell_all(:release)
        end

        # An error of a hook is logged and ends nothing.
        def hook(name, *arguments)
          @settings.hooks[name]&.call(*arguments)
        rescue => error
          @log&.error("the hook #{name} failed: #{error.full_message(highlight: false)}")
        end

        def tell_all(name, data = nil) = @manager.workers.each { |worker| worker.tell(name, data) }

        def booting? = @state == :booting

        def stopping? = @state == :stopping

        def resize(workers) = @command_queue.push(:resize, workers)

        def drain(reason = "it was asked to stop")
          return if stopping?

          @state = :stopping
          @log&.info("#{@settings.name}: stopping")
          @handover.stopping(reason)
          @notifier.stopping unless @handover.left? # systemd watches the other one
          hook(:on_stop)
          @manager.slots.each { |slot| slot.due = nil }
          @manager.workers.each do |worker|
            worker.dismiss(@settings.drain_timeout, @settings.hang_grace, "stop")
          end
        end

        def kill
          drain
          @manager.workers.each { |worker| worker.kill("stop at once") }
        end

        def give_up(message)
          @gave_up = true
          @log&.fatal("#{@settings.name}: #{message} Giving up.")
          drain(message)
        end

        # A restart may begin before systemd got READY.
        def reloading(text) = booting? ? @notifier.status(text) : @notifier.reloading(text)

        def reloaded(text) = booting? ? @notifier.status(text) : @notifier.ready(text)

        private

        def turn
          wait
          @command_queue.each { |command, *arguments| @command_handler.handle(command, *arguments) }
          @manager.hear
          ended = @manager.reap
          now = Clock.now
          @manager.check(now)
          @handover.step(now, ended)
          @command_handler.retry
          @notifier.tick(now)
          @maintenance.step(now) unless stopping?
        end

        def wait
          now = Clock.now
          due = [@manager.due(now), *@notifier.due, *@handover.due,
            *(@autoscaler&.due unless stopping? || @handover.busy?)].min
          rest = [due - now, 0].max
          readable, = ::IO.select([@command_queue.to_io, *@manager.ios, *@watchers.ios], nil, nil,
            rest)
          @watchers.call(readable) if readable
        end

        def disown(keep)
          @command_queue.close
          @watchers.ios.each { |io| io.close unless keep.include?(io) }
          @manager.disown(keep)
        end
      end
    end
  end
end
