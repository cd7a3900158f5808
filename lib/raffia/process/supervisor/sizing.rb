# frozen_string_literal: true

require_relative "retirement"

module Raffia
  module Process
    class Supervisor
      # Changes the number of slots while they serve; at the end of the row only.
      #
      # @api private
      class Sizing
        # @param fleet [Fleet]
        # @param loop [Loop]
        def initialize(fleet, loop)
          @fleet = fleet
          @loop = loop
          @log = loop.settings.log
          @target = nil
        end

        # @return [Integer] how many workers there are to be
        def size = @target || @fleet.slots.size

        # @param count [Integer]
        # @return [void]
        def resize(count)
          most = @loop.settings.max_workers
          unless (1..most).cover?(count)
            return @log&.warn("#{count} workers: at least one, at most #{most} are possible")
          end

          @target = count
          @log&.info("#{count} workers from now on")
        end

        # @return [void]
        def step(now)
          return unless @target

          if @retirement then retire(now)
          elsif @fleet.slots.size < @target then grow
          elsif @fleet.slots.size > @target then shrink
          else
            @target = nil
          end
        end

        private

        def grow
          @fleet.open_slots(@target).each { |slot| @fleet.start(slot) }
        rescue SystemCallError => error
          @log&.error("no more workers: #{error.message}")
          @target = nil
        end

        def shrink
          *others, last = @fleet.slots
          @retirement = Retirement.new(last, others)
          return if @retirement.begin

          @retirement = @target = nil
          @log&.error("a worker less: this system cannot keep connections from a socket that is " \
            "to be closed, so it stays")
        end

        def retire(now)
          return take_back if @target >= @fleet.slots.size

          slot = @retirement.slot
          case @retirement.step(now)
          when :start then @fleet.start(slot) if slot.due.nil? || slot.due <= now
          when :drain
            slot.members.each do |member|
              member.drain(@loop.settings.drain_timeout, "one worker less")
            end
          when :close
            @retirement.close
            @fleet.slots.delete(slot)
            @retirement = nil
            @loop.running if @loop.booting? && @fleet.serving? # the last one was waited for
          end
        end

        def take_back
          slot = @retirement.slot
          @retirement.take_back
          @retirement = nil
          return @loop.restart.join(slot) if slot.current&.ready? || slot.current&.booting?

          slot.nursery = nil
          slot.due ||= Clock.now
        end
      end
    end
  end
end
