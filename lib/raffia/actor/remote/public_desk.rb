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

        # (see Desk#serve)
        def serve(line, op, arguments, answer)
          return super unless op == :stop || op == :kill

          answer.refuse(Rejected.new("an actor of another process cannot be ended from here: give it a method that stops it"))
        end

        # Actors that have a name, and those that the other side was told of.
        def allow?(line, cell)
          cell.id.is_a?(Symbol) || line.told?(cell) || (cell.name && Registry.current[cell.name] == cell.ref)
        end

        private

        def other(_line, op, arguments, answer)
          return super unless op == :hello

          theirs = arguments.first
          return answer.settle if theirs == PROTOCOL

          answer.refuse(Rejected.new("this process speaks version #{PROTOCOL} of the actors' protocol, the other one #{theirs}: use the same Raffia"))
        end
      end
    end
  end
end
