# frozen_string_literal: true

require_relative "connection_router"
require_relative "recycling"

module Raffia
  module Process
    class Supervisor
      # Work of every turn of the loop until the supervisor stops.
      #
      # @api private
      class Maintenance
        def initialize(loop, scaler)
          @loop = loop
          @scaler = scaler
          @manager = loop.manager
          @forkers = loop.manager.forkers
          @settings = loop.settings
          @recycling = Recycling.new(loop.settings)
          @router = ConnectionRouter.new(@manager.slots, share: !@settings.autoscale.nil?,
            behind: @settings.behind)
        end

        def step(now)
          @loop.restart.step
          @forkers.tidy(@loop.restart.needed, now)
          mend(now)
          return if @loop.stopping? # the listeners may be closed then

          @manager.start_due(now)
          @loop.autoscaler&.step(now) unless @loop.handover.busy?
          @scaler.step(now)
          @router.step(now, @manager.boards.held? || @loop.handover.yielded?)
          @recycling.due(@manager.workers, now).each { |worker, reason| renew(worker, reason) }
          give_up_if_hopeless(now)
        end

        private

        def mend(now)
          if @forkers.hopeless?
            return @loop.give_up("what the workers share could not be loaded; its own message, " \
              "above, says why.")
          end

          @forkers.mend(now) do |dead, new|
            @settings.log&.error("the process that forks the workers (#{dead.pid}) has ended: " \
              "another loads the code that is there now")
            @manager.slots.each { |slot| slot.forker = new if slot.forker.equal?(dead) }
          end
        end

        def renew(worker, reason)
          slot = @manager.slots.find { |one| one.current.equal?(worker) }
          @loop.replacements.replace(slot, reason) if slot && !slot.retired
        end

        def give_up_if_hopeless(now)
          return if @manager.workers.any?(&:ready?)
          unless @manager.slots.any? { |slot| slot.backoff.count(now) >= @settings.crash_limit }
            return
          end

          @loop.give_up("workers died #{@settings.crash_limit} times before they were ready, and " \
          "none is left. Their own messages, above, " \
            "say why.")
        end
      end
    end
  end
end
