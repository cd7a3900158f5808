# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      # Part of {Pool}: starts the workers, and assigns calls to them.
      module PoolWorkers
        # Whether this is no method of the pool's own.
        def __for_workers__?(name)
          !self.class.method_defined?(name) && @klass&.public_method_defined?(name)
        end

        # In the pool's turn, and in no task.
        def __assign__(call)
          while (actor = @idle.shift)
            return __give__(actor, call) if actor.alive?

            @actors.delete(actor)
          end
          __cell__.calls << call
          __cell__.begin_task(:pool) { __replace__ } if __wanting__?
        end

        private

        def __cell__ = instance_variable_get(OWNER_IVAR)

        def __give__(actor, call)
          pool, worker = __cell__, Actor.cell(actor)
          relay = PoolCell::Relay.new(call, worker) { pool.post { __release_actor__(actor) } }
          @busy << actor
          worker.deliver(call.forward_to(worker, relay), false)
        rescue ::Raffia::ActorDied, ::Raffia::Full => error
          relay.fail(error)
        end

        # Without any worker the calls that wait cannot be served.
        def __refuse__(error)
          @freed.wake_first(nil)
          return unless @actors.empty? && @starting == 1

          __cell__.calls.shift.broken(error) until __cell__.calls.empty?
        end

        def __wanting__? = @actors.size + @starting < @size

        def __spawn_actor__
          @starting += 1
          arguments, keywords = Internals.arguments(@klass, @args)
          actor = @klass.new_link(*arguments, **keywords, &@block)
          @actors << actor
          __offer__(actor)
        rescue ::StandardError, ::ScriptError => error
          __refuse__(error)
          raise
        ensure
          @starting -= 1
        end

        # Waits for a worker, in the order of the callers. A caller that is woken without one tries
        # to start one.
        def __provision_actor__
          loop do
            __spawn_actor__ if @idle.empty? && __wanting__?
            actor = @idle.shift || @freed.wait or next
            return actor.tap { @busy << actor } if actor.alive?

            @actors.delete(actor)
          end
        end

        def __release_actor__(actor)
          __offer__(actor) if @busy.delete(actor) && actor.alive?
        end

        def __offer__(actor)
          return if @freed.wake_first(actor)

          call = __cell__.calls.shift
          call = __cell__.calls.shift while call&.unwanted?
          call ? __give__(actor, call) : @idle << actor
        end

        # Removes an idle worker, unless there are not too many any more.
        def __retire__
          actor = @idle.shift || @freed.wait or return
          @actors.delete(actor)
          return unless actor.alive?

          unlink(actor)
          actor.terminate
        end

        def __crash_handler__(actor, reason)
          [@busy, @idle].each { |list| list.delete(actor) }
          return unless @actors.delete?(actor)
          return @freed.broadcast unless __wanting__?

          # A call that waits needs another one at once.
          return __replace__ if __cell__.calls.any?
          return if @freed.wake_first(nil) || reason.nil?

          delay = @backoff.next
          delay.zero? ? __replace__ : after(delay) { __replace__ }
        end

        def __replace__
          __spawn_actor__ if __wanting__?
        rescue ::StandardError, ::ScriptError => error
          Internals::Logger.error("A pool's #{@klass} cannot be started, the next call tries it " \
            "again: #{error.class}: #{error.message}")
        end
      end
    end
  end
end
