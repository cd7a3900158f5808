# frozen_string_literal: true

module Raffia
  module Simulation
    class Timeline
      # The events that a reader needs: a switch that follows a wait says nothing new, nor does a
      # timer's wake-up; of long runs, the beginning, the surroundings of preemptions, and the end
      # are left.
      #
      # @api private
      class Selection
        include ::Enumerable

        HEAD = 6
        AROUND = 3
        private_constant :HEAD, :AROUND

        # +limit+: the most events.
        def initialize(events, limit)
          @limit = limit
          told = events.reject.with_index { |event, index| implied?(events, index, event) }
          @events = short(told)
        end

        def each(&) = @events.each(&)

        private

        # Whether the event before says the same.
        def implied?(events, index, event)
          before = events[index - 1] if index.positive?
          case event.kind
          when :switch then before.nil? || before.kind != :preempt || before.other == event.other
          when :wake then event.lane.nil? && before&.kind == :timer && before.other == event.other
          else false
          end
        end

        def short(events)
          return events if events.size <= @limit

          tail = events.size - @limit / 2
          kept = Array.new(events.size) { |index| index < HEAD || index >= tail }
          keep_preemptions(events, kept)
          gaps(events, kept)
        end

        # Later ones first.
        def keep_preemptions(events, kept)
          (events.size - 1).downto(0) do |index|
            next if events[index].kind != :preempt || kept.count(true) >= @limit

            from = [index - AROUND, 0].max
            (from..[index + AROUND, events.size - 1].min).each { |place| kept[place] = true }
          end
        end

        def gaps(events, kept)
          events.zip(kept).chunk_while { |(_, one), (_, other)| one == other }
            .flat_map do |chunk|
              next chunk.map(&:first) if chunk.first.last

              [Trace::Event.new(:left_out, chunk.first.first.at, nil, nil, nil, [],
                "(#{chunk.size} events left out)", 0)]
            end
        end
      end
    end
  end
end
