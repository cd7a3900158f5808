# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What one side does for the other: it asks its own actors on the other's behalf. This runs
      # where the line is served, so nothing here waits; what would is handed to a thread.
      #
      # @api private
      class Desk
        # What can be asked of an actor.
        ABOUT = %i[alive? status reason stats name].freeze
        # What may take its time.
        SLOW = %i[stop kill].freeze
        OWN = %i[call lookup names watch unwatch linked_exit publish].freeze

        # @param line [Line]
        # @param op [Symbol]
        # @param arguments [Array] the actor's ref first
        # @param answer [Answer]
        # @return [void]
        def serve(line, op, arguments, answer)
          case op
          when *ABOUT, *SLOW, :tell, :join then about(op, *arguments, answer)
          when *OWN then __send__(op, line, answer, *arguments)
          when :watched then line.notice(*arguments)
          else other(line, op, arguments, answer)
          end
        rescue => error
          answer.refuse(error)
        end

        # @param _cell [ActorCore, Distant] of which the other side has the name
        # @return [Boolean] whether it may be asked
        def allow?(_line, _cell) = true

        # The line has ended.
        # @return [void]
        def ended(line, reason) = line.forget_watches(reason)

        private

        def other(_line, op, _arguments, _answer)
          raise(Rejected, "nobody here does #{op.inspect}")
        end

        # Whose answer is waited for, as the one who waits for ours.
        # @return [Message, nil]
        def message(_number) = nil

        def call(_line, answer, ref, name, arguments, keywords, deadline, number)
          parent = number && message(number)
          answer.awaited_by(parent) if parent
          Deadline.replace(deadline) do
            ref.raffia_core.request(name, arguments, keywords, nil, answer, parent)
          end
        end

        # Of an actor that is not of this side it is asked there.
        def about(op, ref, *arguments, answer)
          core = ref.raffia_core
          return core.pass(answer, op, *arguments) if core.respond_to?(:pass)

          case op
          when :tell then tell(core, answer, *arguments)
          when :join then core.tell_end(answer)
          when *SLOW then surely(answer) { core.public_send(op, *arguments) }
          else answer.settle(core.public_send(op))
          end
        end

        def lookup(_line, answer, name) = answer.settle(Actor[name])

        def names(_line, answer) = answer.settle(Actor.names)

        def watch(line, answer, ref, key) = nearby(ref, answer) { line.watch_for(ref, key) }

        def unwatch(line, answer, ref, key) = nearby(ref, answer) { line.unwatch_for(ref, key) }

        # Only the side that has linked the two knows of it. If both have, the end is not to be told
        # twice: an actor may have begun again since.
        def linked_exit(_line, _answer, ref, other, reason)
          core, ended = ref.raffia_core, other.raffia_core
          ended.delete_link(core)
          core.linked_exit(ended, reason)
        end

        def publish(_line, answer, topic, data, keywords)
          surely(answer) { Actor.publish(topic, *data, **(keywords || {})) }
        end

        # Whoever sends more than there is room for waits, and nobody else who speaks through this
        # line.
        def tell(core, answer, *message)
          waiter = core.try_tell(*message)
          waiter ? surely(answer) { waiter.wait && nil } : answer.settle
        end

        # One that is not of this side has to be waited for.
        def nearby(ref, answer, &)
          return answer.settle(yield) unless ref.raffia_core.respond_to?(:pass)

          surely(answer, &)
        end

        def surely(answer)
          beside do
            answer.settle(yield)
          rescue => error
            answer.fail(error)
          end
        end

        def beside(&) = Places::Threads.shared.reenter(&)
      end
    end
  end
end
