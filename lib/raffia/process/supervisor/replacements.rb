# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Replaces workers, one slot at a time. The new one starts beside the old one, which drains
      # when the new one is ready. Both accept from the same sockets meanwhile.
      #
      # @api private
      class Replacements
        # `worker`: set when only this one is to be replaced.
        Replacement = Struct.new(:slot, :forker, :reason, :worker, :phase, :old) do
          def void? = slot.retired || (!worker.nil? && !slot.current.equal?(worker))
        end
        private_constant :Replacement

        def initialize(manager, drain_timeout, log)
          @manager = manager
          @drain_timeout = drain_timeout
          @log = log
          @waiting = []
        end

        # A restart: the slot gets a worker of this forker.
        def add(slot, forker, reason)
          unless queued?(slot, forker)
            @waiting << Replacement.new(slot, forker, reason, nil, :start)
          end
        end

        # One worker is to be replaced. A restart that does so before its turn has done that too,
        # and by newer code.
        def replace(slot, reason)
          return if [@now, *@waiting].compact.any? { |one| one.slot.equal?(slot) }

          @waiting << Replacement.new(slot, nil, reason, slot.current, :start)
        end

        def for?(forker) = [@now, *@waiting].compact.any? { |one| one.forker.equal?(forker) }

        def step
          @now = nil if @now && over?(@now)
          @now = @waiting.shift until @now.nil? ? @waiting.empty? : !over?(@now)
          begin_with(@now) if @now&.phase == :start
        end

        def any? = !@now.nil? || @waiting.any?

        # Whether this worker, which is ready now, takes over. The old one may become ready too,
        # when a restart begins while it boots.
        def ready(slot, worker)
          return false unless @now && @now.phase == :boot && worker.equal?(slot.successor)

          @now.old = slot.promote
          @now.phase = :drain
          @now.old&.drain(@drain_timeout, @now.reason)
          true
        end

        # A successor has ended before it could take over. Returns its forker.
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
          return if slot.row.nil?
          return lost(slot) unless @manager.start(slot, *replacement.forker, successor: true)

          @log&.info("worker #{slot.index} gets a successor: #{replacement.reason}")
          replacement.phase = :boot
          nil
        end
      end
    end
  end
end
