# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Dispatches the other side's requests to this side's actors.
      #
      # It runs where the connection is served, so nothing here waits: what would runs in a thread.
      class RequestDispatcher
        ABOUT = %i[alive? status reason stats name].freeze
        SLOW = %i[stop kill].freeze
        OWN = %i[call lookup names watch unwatch linked_exit publish].freeze

        def serve(connection, op, arguments, reply)
          case op
          when *ABOUT, *SLOW, :tell, :join then about(op, *arguments, reply)
          when *OWN then __send__(op, connection, reply, *arguments)
          when :watched then connection.monitors.notice(*arguments)
          else other(connection, op, arguments, reply)
          end
        rescue => error
          reply.refuse(error)
        end

        # The message that the other side works on, for the error of its death.
        def current = nil

        # Whether the other side, which has its name, may ask the actor.
        def allow?(_connection, _core) = true

        def ended(connection, reason) = connection.monitors.close(reason)

        private

        def other(_connection, op, _arguments, _answer)
          raise(Rejected, "nobody here does #{op.inspect}")
        end

        def message(_number) = nil

        def call(_connection, reply, ref, name, arguments, keywords, deadline, number)
          parent = number && message(number)
          reply.awaited_by(parent) if parent
          Deadline.replace(deadline) do
            ref.raffia_core.request(name, arguments, keywords, nil, reply, parent)
          end
        end

        # Requests about an actor of a third side are passed on.
        def about(op, ref, *arguments, reply)
          core = ref.raffia_core
          return core.pass(reply, op, *arguments) if core.respond_to?(:pass)

          case op
          when :tell then tell(core, reply, *arguments)
          when :join then core.settle_at_end(reply)
          when *SLOW then settle_in_background(reply) { core.public_send(op, *arguments) }
          else reply.settle(core.public_send(op))
          end
        end

        def lookup(_connection, reply, name) = reply.settle(Node.current.lookup(name))

        def names(_connection, reply) = reply.settle(Registry.current.names)

        def watch(connection, reply, ref, key)
          nearby(ref, reply) { connection.monitors.serve(ref, key) }
        end

        def unwatch(connection, reply, ref, key)
          nearby(ref, reply) { connection.monitors.stop_serving(ref, key) }
        end

        # Only the side that made a link knows of it. If both made one, the exit is sent once: the
        # actor may have restarted since.
        def linked_exit(_connection, _answer, ref, other, reason)
          core, ended = ref.raffia_core, other.raffia_core
          ended.delete_link(core)
          core.linked_exit(ended, reason)
        end

        def publish(_connection, reply, topic, data, keywords)
          settle_in_background(reply) do
            Topics.current.publish_everywhere(topic, data, keywords || {})
          end
        end

        # A sender that finds no room waits, and no other sender on this connection.
        def tell(core, reply, *message)
          waiter = core.try_tell(*message)
          waiter ? settle_in_background(reply) { waiter.wait && nil } : reply.settle
        end

        # A request to a third side takes time.
        def nearby(ref, reply, &)
          return reply.settle(yield) unless ref.raffia_core.respond_to?(:pass)

          settle_in_background(reply, &)
        end

        def settle_in_background(reply)
          in_background do
            reply.settle(yield)
          rescue => error
            reply.fail(error)
          end
        end

        def in_background(&) = Executors::Threads.shared.reenter(&)
      end
    end
  end
end
