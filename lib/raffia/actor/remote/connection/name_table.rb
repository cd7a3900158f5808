# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Connection
        # Translates refs to names and back, on one connection.
        class NameTable
          def initialize(connection, dispatcher)
            @connection = connection
            @dispatcher = dispatcher
            @lock = SpinLock.new
            @sent = @passed = nil
          end

          def describe(ref)
            core = ref.raffia_core
            name = Node.current.register(core)
            @lock.hold { note(core, name) }
            Proxy.describe(core, name)
          end

          def recognise(data)
            node = Node.current
            core = node.find(data.first)
            unless core
              proxy = Proxy.new(data, connection_to(data, node))
              node.bind(proxy.id, proxy)
              return proxy
            end
            return core if @dispatcher.allow?(@connection, core)

            raise Rejected, "#{data[1]} cannot be asked from there"
          end

          def sent?(core) = @lock.hold { @sent&.key?(core) } || false

          def size = @lock.hold { @sent ? @sent.size : 0 }

          private

          # Actors of third sides are kept as long as they may be asked for through here. Others are
          # known while they live.
          def note(core, name)
            if core.id.is_a?(Symbol)
              (@passed ||= {})[name] = core
            else
              (@sent ||= ObjectSpace::WeakMap.new)[core] = true
            end
          end

          # This side may have named it to the other, and forgotten it since.
          def connection_to(data, node)
            return if node.mine?(data.first)

            (data.last && node.uplink) || @connection
          end
        end
      end
    end
  end
end
