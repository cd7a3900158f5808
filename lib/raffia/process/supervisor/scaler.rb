# frozen_string_literal: true

require_relative "slot_removal"

module Raffia
  module Process
    class Supervisor
      # Changes the number of slots while they serve, at the end only.
      #
      # @api private
      class Scaler
        def initialize(manager, loop)
          @manager = manager
          @loop = loop
          @log = loop.settings.log
          @target = nil
        end

        def size = @target || @manager.slots.size

        def resize(count, reason = nil)
          most = @loop.settings.max_workers
          unless (1..most).cover?(count)
            return @log&.warn("#{count} workers: at least one, at most #{most} are possible")
          end

          @target = count
          @log&.info("#{count} workers from now on#{": #{reason}" if reason}")
        end

        def step(now)
          return unless @target

          if @removal then retire(now)
          elsif @manager.slots.size < @target then grow
          elsif @manager.slots.size > @target then shrink
          else
            @target = nil
          end
        end

        private

        def grow
          @manager.open_slots(@target).each { |slot| @manager.start(slot) }
        rescue SystemCallError => error
          @log&.error("no more workers: #{error.message}")
          @target = nil
        end

        def shrink
          *others, last = @manager.slots
          @removal = SlotRemoval.new(last, others)
          return if @removal.begin

          @removal = @target = nil
          @log&.error("a worker less: this system cannot keep connections from a socket that is " \
            "to be closed, so it stays")
        end

        def retire(now)
          return take_back if @target >= @manager.slots.size

          slot = @removal.slot
          case @removal.step(now)
          when :start then @manager.start(slot) if slot.due.nil? || slot.due <= now
          when :drain
            slot.workers.each do |worker|
              worker.drain(@loop.settings.drain_timeout, "one worker less")
            end
          when :close
            @removal.close
            @manager.slots.delete(slot)
            @removal = nil
            @loop.running if @loop.booting? && @manager.serving? # the last one was waited for
          end
        end

        def take_back
          slot = @removal.slot
          @removal.take_back
          @removal = nil
          return @loop.restart.join(slot) if slot.current&.ready? || slot.current&.booting?

          slot.forker = nil
          slot.due ||= Clock.now
        end
      end
    end
  end
end
