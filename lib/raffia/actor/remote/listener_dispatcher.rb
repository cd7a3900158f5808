# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Dispatches requests of processes that connect to this one: fewer than of its children.
      class ListenerDispatcher < RequestDispatcher
        # Version of frames and requests.
        PROTOCOL = 1

        # Would end actors, or reach all of them.
        FORBIDDEN = %i[stop kill linked_exit publish].freeze

        def serve(connection, op, arguments, reply)
          return super unless FORBIDDEN.include?(op)

          reply.refuse(Rejected.new("#{op} cannot be asked for from another process: give the " \
            "actor a method that does it"))
        end

        # Actors that have a name, and those that the other side has the name of.
        def allow?(connection, core)
          core.id.is_a?(Symbol) || connection.names.sent?(core) ||
            (core.name && Registry.current[core.name] == core.ref)
        end

        private

        def other(_connection, op, arguments, reply)
          return super unless op == :hello

          theirs = arguments.first
          return reply.settle if theirs == PROTOCOL

          reply.refuse(Rejected.new("this process speaks version #{PROTOCOL} of the actors' " \
            "protocol, the other one #{theirs}: use the same Raffia"))
        end
      end
    end
  end
end
