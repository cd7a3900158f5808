# frozen_string_literal: true

module Celluloid
  class Cell
    # What is done with a message.
    module Working
      private

      def perform(call)
        return if call.unwanted?

        @handled += 1
        task = @task_class.new(:call, call.name, self, root: call.root,
          exclusive: exclusive?(call.name))
        call.task = task
        call.answer(task.run { call.begin { @place.expose(@region) { call.invoke(@subject) } } })
      rescue AbortError => error
        call.aborted(error)
      rescue TaskTerminated => error
        call.broken(error)
      rescue Exception => error # standard:disable Lint/RescueException
        raise killed(call) if @doom

        failed(call, error)
      end

      # It is dead to all from now on. Then its caller hears of the error, before the links do: one
      # that is linked would be ended by that, and its own caller would hear of that end only.
      def failed(call, error)
        begin_end
        heard = call.broken(error) && call.awaited?
        crash(error)
      ensure
        pass_on(error) unless heard
      end

      # What has no caller: an error there ends the actor.
      def perform_task(type, name = nil)
        task = @task_class.new(type, name, self, exclusive: exclusive?(name))
        task.run { @place.expose(@region) { yield } }
      rescue AbortError => error
        Internals::Logger.debug("#{actor_class}: #{type} " \
          "aborted!\n#{Internals::Logger.format_exception(error.cause)}")
      rescue TaskTerminated
        nil
      rescue Exception => error # standard:disable Lint/RescueException
        raise if @doom

        crash(error)
        pass_on(error)
      end

      # As with Ruby's own threads: `exit` is for the whole program, unless somebody waits here whom
      # it can reach.
      def pass_on(error) = error.is_a?(::SystemExit) && ::Thread.main.raise(error)

      def exclusive?(name) = @exclusive || !!(name && @exclusive_methods&.include?(name.to_sym))

      def killed(call)
        call.broken(::Raffia::ActorDied.new(ref: ref, reason: @doom.reason))
        ::Raffia::Cancel.new(@doom.reason, origin: self)
      end
    end
  end
end
