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
            core = ref.raffia_core
            name = Node.current.tell_of(core)
            @guard.hold { note(core, name) }
            Distant.describe(core, name)
          end

          # @param data [Array] what the other side said
          # @return [ActorCore, Distant]
          # @raise [Rejected]
          def recognise(data)
            node = Node.current
            core = node.find(data.first) and
              return @desk.allow?(self, core) ? core :
                raise(Rejected, "#{data[1]} cannot be asked from there")

            Distant.new(data, way_to(data, node)).tap { |distant| node.know(distant.id, distant) }
          end

          # @param core [ActorCore]
          # @return [Boolean] whether the other side was told of it
          def told?(core) = @guard.hold { @told&.key?(core) } || false

          private

          # One of a third side has to be known here for as long as it may be asked for through
          # here. Others are known while they live.
          def note(core, name)
            if core.id.is_a?(Symbol)
              (@passed ||= {})[name] = core
            else
              (@told ||= ObjectSpace::WeakMap.new)[core] = true
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
