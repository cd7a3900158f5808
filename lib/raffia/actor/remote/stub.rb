# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Stands for the object of an actor on :processes or :ractors, in its core's process.
      #
      # Each call becomes a request. The core's executor waits for the answer and can be
      # interrupted; the object then goes on, and its answer is dropped.
      class Stub
        def initialize(core, launcher)
          @core = core
          @launcher = launcher
          @ended = false
          @dispatcher = StubDispatcher.new(core, self)
        end

        def start(factory)
          Executors::InterruptScope.protect { open_connection(factory) }
          end_on_error { request(:build, *@launcher.arguments(factory)) }
          self
        end

        def public_send(name, *arguments, **keywords, &block)
          if block
            StubCall.refuse(NotDumpable.new("a block cannot go where #{@core.label} is: hand in " \
              "a ref, or spawn on: :threads"))
          end
          request(:invoke, name, arguments, keywords.empty? ? nil : keywords, Raffia.deadline)
        end

        def on_start = end_on_error { request(:hook, :on_start) }

        def on_restart(reason)
          end_on_error do
            ErrorCodec.with_reason(reason) { |why| request(:hook, :on_restart, why) }
          end
        end

        def on_exit(ref, reason)
          ErrorCodec.with_reason(reason) { |why| request(:hook, :on_exit, ref, why) }
        end

        # Ends the object, and its process or Ractor.
        def on_stop(reason)
          return if @ended

          @ended = true
          ErrorCodec.with_reason(reason) { |why| leave(why) } unless unusable?
        ensure
          @worker&.interrupt
        end

        def raffia_run(key, *arguments, **keywords) = request(:run_block, key, arguments, keywords)

        # The other side has ended. If no message waits for it, this ends the actor.
        def raffia_ended
          @core.urge { lost } unless @ended
        end

        private

        def open_connection(factory)
          @worker = @launcher.start(factory, @core)
          @connection = Connection.new(@worker, @dispatcher)
          @core.watch { abandon }
          BackgroundThreads.run { @connection.serve }
        end

        def request(...) = StubCall.new(@connection, @dispatcher, @core.ref).run(...)

        def unusable? = @connection.closed? || @connection.broken?

        def lost
          raise ActorDied.new(ref: @core.ref, reason: @connection.reason) unless @ended
        end

        # A side that is at work gets the reason, and is interrupted afterwards.
        def leave(reason)
          return @connection.tell(:stop, reason) if @connection.busy?

          request(:hook, :on_stop, reason)
          @connection.tell(:leave)
          @worker.close(Executor::GRACE)
        end

        # Without an object its process or Ractor ends.
        def end_on_error
          yield
        rescue Exception # standard:disable Lint/RescueException
          @ended = true
          @worker.interrupt
          raise
        end

        # The core has ended without {on_stop}: it could not wait.
        def abandon
          return if @ended

          @ended = true
          @worker.close
        end
      end
    end
  end
end
