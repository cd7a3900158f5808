# frozen_string_literal: true

require_relative "reuseport_filter"

module Raffia
  module Process
    class Supervisor
      # Removes a slot without losing a connection: closing a SO_REUSEPORT socket drops its queue.
      # The kernel sends it nothing new, its worker accepts what is queued and drains, and only an
      # empty queue is closed. Otherwise the slot gets another worker.
      #
      # @api private
      class SlotRemoval
        # Seconds for which the queue must have been empty: as long as a slow handshake may take.
        QUIET = 3

        def initialize(slot, others, quiet = QUIET)
          @slot = slot
          @own = slot.ios - others.flat_map(&:ios)
          @groups = ReuseportFilter.groups([*others, slot].map(&:ios))
          @waiting = @own.select { |io| ReuseportFilter.group?(io) }
          @quiet = @waiting.empty? ? 0 : quiet
          @empty_since = nil
        end

        attr_reader :slot

        # false when the slot cannot be taken away here.
        def begin
          @slot.retired = @groups.all? { |group| leave(group) }
        end

        def take_back
          @slot.retired = false
        end

        # The next action: :drain its worker, :start one, :close its sockets.
        def step(now)
          @empty_since = queued? ? nil : @empty_since || now
          return (:start if idle?) unless @empty_since
          return if now - @empty_since < @quiet

          idle? ? :close : :drain
        end

        def close
          @own.each(&:close)
        end

        private

        def leave(group)
          live = group.each_index.reject { |number| @own.include?(group[number]) }
          live.empty? || live.size == group.size || ReuseportFilter.apply(group.first, live)
        end

        def idle? = @slot.workers.empty?

        def queued? = @waiting.any? { |io| ReuseportFilter.queued(io).positive? }
      end
    end
  end
end
