# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # What the actors are called that the two sides tell each other of.
        #
        # @api private
        module Names
          # @param ref [Ref]
          # @return [Array] as which it goes to the other side
          def describe(ref)
            cell = ref.raffia_cell
            name = Node.current.tell_of(cell)
            @guard.hold { note(cell, name) }
            Distant.describe(cell, name)
          end

          # @param data [Array] what the other side said
          # @return [Cell, Distant]
          # @raise [Rejected]
          def recognise(data)
            node = Node.current
            cell = node.find(data.first) and
              return @desk.allow?(self, cell) ? cell :
                raise(Rejected, "#{data[1]} cannot be asked from there")

            Distant.new(data, way_to(data, node)).tap { |distant| node.know(distant.id, distant) }
          end

          # @param cell [Cell]
          # @return [Boolean] whether the other side was told of it
          def told?(cell) = @guard.hold { @told&.key?(cell) } || false

          private

          # One of a third side has to be known here for as long as it may be asked for through
          # here. Others are known while they live.
          def note(cell, name)
            if cell.id.is_a?(Symbol)
              (@passed ||= {})[name] = cell
            else
              (@told ||= ObjectSpace::WeakMap.new)[cell] = true
            end
          end

          # The other side may have been told of it by this one, which has forgotten it since.
          def way_to(data, node)
            return if node.mine?(data.first)

            (data.last && node.uplink) || self
          end
        end
      end
    end
  end
end
