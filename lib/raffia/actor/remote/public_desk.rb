# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What a process does for those that connect to it: less than for its own children.
      #
      # @api private
      class PublicDesk < Desk
        # Of what two processes say to each other. It changes when the frames do.
        PROTOCOL = 1

        # What would end actors, or be told to all.
        CLOSED = %i[stop kill linked_exit publish].freeze

        # (see Desk#serve)
        def serve(line, op, arguments, answer)
          return super unless CLOSED.include?(op)

          answer.refuse(Rejected.new("#{op} cannot be asked for from another process: give the " \
            "actor a method that does it"))
        end

        # Actors that have a name, and those that the other side was told of.
        def allow?(line, core)
          core.id.is_a?(Symbol) || line.told?(core) ||
            (core.name && Registry.current[core.name] == core.ref)
        end

        private

        def other(_line, op, arguments, answer)
          return super unless op == :hello

          theirs = arguments.first
          return answer.settle if theirs == PROTOCOL

          answer.refuse(Rejected.new("this process speaks version #{PROTOCOL} of the actors' " \
            "protocol, the other one #{theirs}: use the same Raffia"))
        end
      end
    end
  end
end
