# frozen_string_literal: true

module Raffia
  class Actor
    module Executors
      # Runs actors in fibers of their loop.
      class Fibers
        def initialize(group)
          @group = group
        end

        # Has messages handled.
        # @param now [Boolean] whether a caller waits for it
        def dispatch(execution, now)
          now ? @group.now { execution.work } : @group.later { execution.work }
        end

        # Continues an actor that has more to do, after others.
        def go_on(execution) = @group.later { execution.work }

        # Runs the block there, and waits for it.
        # @return [Object] the block's value
        def run(&block)
          return yield if @group.here?

          Future.new.tap { |future| @group.later { future.attempt(&block) } }.value
        end

        # Runs a block that the actor's current message waits for.
        def reenter(&) = @group.now(&)

        # @yieldparam scope [#cancel] in which the actor works
        def enter(core, &) = CancellationStack.enter(core, &)

        # Runs code of the user's, which the scope may interrupt.
        def expose(_scope) = yield

        # @return [Actor] the actor's object
        def build(factory, core) = factory.build(core)
      end
    end
  end
end
