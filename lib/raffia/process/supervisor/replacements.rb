# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Replaces workers, one slot at a time, so that there is never more than one worker too many.
      # The new one starts beside the old one, which drains when the new one is ready. Both accept
      # from the same sockets meanwhile.
      #
      # @api private
      class Replacements
        # `worker` is the worker that is to be replaced, if it is only that one.
        Replacement = Struct.new(:slot, :forker, :reason, :worker, :phase, :old) do
          # Whether there is nothing to replace any more.
          def void? = slot.retired || (!worker.nil? && !slot.current.equal?(worker))
        end
        private_constant :Replacement

        def initialize(manager, drain_timeout, log)
          @manager = manager
          @drain_timeout = drain_timeout
          @log = log
          @waiting = []
        end

        # A restart: whatever worker the slot has then, it gets one of this forker.
        def add(slot, forker, reason)
          unless queued?(slot, forker)
            @waiting << Replacement.new(slot, forker, reason, nil, :start)
          end
        end

        # One worker is worn. A restart that replaces it before its turn has done that too, and by
        # newer code.
        def replace(slot, reason)
          return if [@now, *@waiting].compact.any? { |one| one.slot.equal?(slot) }

          @waiting << Replacement.new(slot, nil, reason, slot.current, :start)
        end

        # Whether a slot waits for, or gets, a worker of this forker.
        def for?(forker) = [@now, *@waiting].compact.any? { |one| one.forker.equal?(forker) }

        # One whose worker could not be started.
        def step
          @now = nil if @now && over?(@now)
          @now = @waiting.shift until @now.nil? ? @waiting.empty? : !over?(@now)
          begin_with(@now) if @now&.phase == :start
        end

        # Whether a slot is between two workers, or will be.
        def any? = !@now.nil? || @waiting.any?

        # The worker that is to be replaced may become ready too, when a restart begins while it
        # boots. Whether it takes over.
        def ready(slot, worker)
          return false unless @now && @now.phase == :boot && worker.equal?(slot.successor)

          @now.old = slot.promote
          @now.phase = :drain
          @now.old&.drain(@drain_timeout, @now.reason)
          true
        end

        # A successor has ended before it could take over. Its forker.
        def lost(slot)
          return unless @now&.slot.equal?(slot)

          @now.forker.tap { @now = nil }
        end

        def forget(forker = nil)
          @waiting.reject! { |one| forker.nil? || one.forker.equal?(forker) }
        end

        private

        def queued?(slot, forker)
          [@now, *@waiting].compact.any? do |one|
            one.slot.equal?(slot) && one.forker.equal?(forker)
          end
        end

        def over?(replacement)
          return replacement.void? if replacement.phase == :start

          replacement.phase == :drain && !replacement.slot.leaving.include?(replacement.old)
        end

        # Too many workers of the slot may still be leaving: then it is tried again.
        def begin_with(replacement)
          slot = replacement.slot
          return if slot.lane.nil?
          return lost(slot) unless @manager.start(slot, *replacement.forker, successor: true)

          @log&.info("worker #{slot.index} gets a successor: #{replacement.reason}")
          replacement.phase = :boot
          nil
        end
      end
    end
  end
end
