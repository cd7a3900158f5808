# frozen_string_literal: true

require_relative "routing"
require_relative "wear"

module Raffia
  module Process
    class Supervisor
      # What is done at every turn as long as nobody has said stop.
      #
      # @api private
      class Upkeep
        # @param loop [Loop]
        # @param sizing [Sizing]
        def initialize(loop, sizing)
          @loop = loop
          @sizing = sizing
          @fleet = loop.fleet
          @nurseries = loop.fleet.nurseries
          @settings = loop.settings
          @wear = Wear.new(loop.settings)
          @routing = Routing.new(@fleet.slots)
        end

        # @param now [Float]
        # @return [void]
        def step(now)
          @loop.restart.step
          @nurseries.tidy(@loop.restart.needed, now)
          mend(now)
          return if @loop.stopping? # the listeners may be closed then

          @fleet.start_due(now)
          @sizing.step(now)
          @routing.step(now)
          @wear.worn(@fleet.members, now).each { |member, reason| renew(member, reason) }
          give_up_if_hopeless(now)
        end

        private

        def mend(now)
          if @nurseries.hopeless?
            return @loop.give_up("what the workers share could not be loaded; its own message, " \
              "above, says why.")
          end

          @nurseries.mend(now) do |dead, new|
            @settings.log&.error("the process that forks the workers (#{dead.pid}) has ended: " \
              "another loads the code that is there now")
            @fleet.slots.each { |slot| slot.nursery = new if slot.nursery.equal?(dead) }
          end
        end

        def renew(member, reason)
          slot = @fleet.slots.find { |one| one.current.equal?(member) }
          @loop.renewals.replace(slot, reason) if slot && !slot.retired
        end

        def give_up_if_hopeless(now)
          return if @fleet.members.any?(&:ready?)
          unless @fleet.slots.any? { |slot| slot.crashes.count(now) >= @settings.crash_limit }
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
