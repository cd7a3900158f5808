# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What one side does for the other: it asks its own actors on the other's behalf. This runs where the line is served, so nothing here
      # waits, but for room in a mailbox; what would is handed to a thread.
      #
      # @api private
      class Desk
        # What can be asked of an actor.
        ABOUT = %i[alive? status reason stats name].freeze
        # What may take its time.
        SLOW = %i[stop kill join].freeze
        OWN = %i[call tell look names watch unwatch].freeze

        # @param line [Line]
        # @param op [Symbol]
        # @param arguments [Array] the actor's ref first
        # @param answer [Answer]
        # @return [void]
        def serve(line, op, arguments, answer)
          case op
          when *ABOUT then answer.settle(arguments.first.raffia_cell.public_send(op))
          when *SLOW then slow(op, arguments, answer)
          when *OWN then __send__(op, line, answer, *arguments)
          when :watched then line.notice(*arguments)
          else other(line, op, arguments, answer)
          end
        rescue => error
          answer.refuse(error)
        end

        # @param cell [Cell, Distant] of which the other side has the name
        # @return [Boolean] whether it may be asked
        def allow?(_line, _cell) = true

        # The line has ended.
        # @return [void]
        def ended(line, reason) = line.forget_watches(reason)

        private

        def other(_line, op, _arguments, _answer) = raise(Rejected, "nobody here does #{op.inspect}")

        # Whose answer is waited for, as the one who waits for ours.
        # @return [Message, nil]
        def message(_number) = nil

        def call(_line, answer, ref, name, arguments, keywords, deadline, number)
          parent = number && message(number)
          answer.awaited_by(parent) if parent
          Deadline.replace(deadline) { ref.raffia_cell.request(name, arguments, keywords, nil, answer, parent) }
        end

        def tell(_line, answer, ref, name, arguments, keywords)
          ref.raffia_cell.tell(name, arguments, keywords, nil)
          answer.settle
        end

        def look(_line, answer, name) = answer.settle(Actor[name])

        def names(_line, answer) = answer.settle(Actor.names)

        def watch(line, answer, ref, key) = answer.settle(line.watch_for(ref, key))

        def unwatch(line, answer, ref, key) = answer.settle(line.unwatch_for(ref, key))

        def slow(op, arguments, answer)
          ref, *rest = arguments
          beside do
            value = ref.raffia_cell.public_send(op, *rest)
            answer.settle((op == :join) ? !value.nil? : value)
          rescue => error
            answer.fail(error)
          end
        end

        def beside(&) = Places::Threads.shared.reenter(&)
      end
    end
  end
end
