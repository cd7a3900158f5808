# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Replaces workers that work, one slot at a time, so that there is never more than one worker
      # too many. The new one is started beside the old one; only when it has said that it is ready
      # the old one is told to drain. Both accept from the same sockets meanwhile.
      #
      # @api private
      class Renewals
        # `member` is the worker that is to be replaced, if it is only that one.
        Renewal = Struct.new(:slot, :nursery, :reason, :member, :phase, :old) do
          # @return [Boolean] whether there is nothing to replace any more
          def void? = slot.retired || (!member.nil? && !slot.current.equal?(member))
        end
        private_constant :Renewal

        # @param fleet [Fleet]
        # @param drain_timeout [Numeric]
        # @param log [#info, nil]
        def initialize(fleet, drain_timeout, log)
          @fleet = fleet
          @drain_timeout = drain_timeout
          @log = log
          @waiting = []
        end

        # A restart: whatever worker the slot has then, it gets one of this nursery.
        # @param slot [Slot]
        # @param nursery [Nursery] that is to bear the new worker
        # @param reason [String]
        # @return [void]
        def add(slot, nursery, reason)
          @waiting << Renewal.new(slot, nursery, reason, nil, :start) unless queued?(slot, nursery)
        end

        # One worker is worn. A restart that replaces it before its turn has done that too, and by
        # newer code.
        # @param slot [Slot]
        # @param reason [String]
        # @return [void]
        def replace(slot, reason)
          return if [@now, *@waiting].compact.any? { |one| one.slot.equal?(slot) }

          @waiting << Renewal.new(slot, nil, reason, slot.current, :start)
        end

        # @return [Boolean] whether a slot waits for, or gets, a worker of this nursery
        def for?(nursery) = [@now, *@waiting].compact.any? { |one| one.nursery.equal?(nursery) }

        # @return [Nursery, nil] one whose worker could not be started
        def step
          @now = nil if @now && over?(@now)
          @now = @waiting.shift until @now.nil? ? @waiting.empty? : !over?(@now)
          begin_with(@now) if @now&.phase == :start
        end

        # @return [Boolean] whether a slot is between two workers, or will be
        def any? = !@now.nil? || @waiting.any?

        # The worker that is to be replaced may become ready too, when a restart begins while it
        # boots.
        # @param slot [Slot]
        # @param member [Member] the worker of this slot that has just become ready
        # @return [Boolean] whether it takes over
        def ready(slot, member)
          return false unless @now && @now.phase == :boot && member.equal?(slot.successor)

          @now.old = slot.promote
          @now.phase = :drain
          @now.old&.drain(@drain_timeout, @now.reason)
          true
        end

        # A successor has ended before it could take over.
        # @return [Nursery, nil] which bore it
        def lost(slot)
          return unless @now&.slot.equal?(slot)

          @now.nursery.tap { @now = nil }
        end

        # @return [void]
        def forget(nursery = nil)
          @waiting.reject! { |one| nursery.nil? || one.nursery.equal?(nursery) }
        end

        private

        def queued?(slot, nursery)
          [@now, *@waiting].compact.any? do |one|
            one.slot.equal?(slot) && one.nursery.equal?(nursery)
          end
        end

        def over?(renewal)
          return renewal.void? if renewal.phase == :start

          renewal.phase == :drain && !renewal.slot.leaving.include?(renewal.old)
        end

        # Too many workers of the slot may still be leaving: then it is tried again.
        def begin_with(renewal)
          slot = renewal.slot
          return if slot.lane.nil?
          return lost(slot) unless @fleet.start(slot, *renewal.nursery, successor: true)

          @log&.info("worker #{slot.index} gets a successor: #{renewal.reason}")
          renewal.phase = :boot
          nil
        end
      end
    end
  end
end
