# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Stands for the object of an actor on :processes or :ractors, in its core's process.
      #
      # What the core wants of the object becomes a request. The core's executor waits for the
      # answer and can be interrupted; the object then goes on to its own end, and its answer is
      # dropped.
      class Stub
        def initialize(core, launcher)
          @core = core
          @launcher = launcher
          @ended = false
          @dispatcher = StubDispatcher.new(core, self)
        end

        # Makes the object.
        # @raise [Exception] what its `initialize` raised
        def start
          Executors::InterruptScope.protect { open_connection }
          end_on_error { request(:build, *@launcher.arguments) }
          self
        end

        # (see Message#invoke)
        def public_send(name, *arguments, **keywords, &block)
          if block
            StubCall.refuse(NotDumpable.new("a block cannot go where #{@core.label} is: hand in " \
            "a " \
              "ref, or spawn on: :threads"))
          end
          request(:invoke, name, arguments, keywords.empty? ? nil : keywords, Raffia.deadline)
        end

        def on_start = end_on_error { request(:hook, :on_start) }

        def on_restart(reason)
          end_on_error { hook(:on_restart, reason) }
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
          @launcher.stop
        end

        # Runs a block of the object's.
        def raffia_run(key, *arguments, **keywords) = request(:run_block, key, arguments, keywords)

        # The other side has ended. If no message waits for it, the core is told by this.
        def raffia_ended
          @core.urge { lost } unless @ended
        end

        private

        def open_connection
          @connection = @launcher.start(@dispatcher)
          @core.watch { abandon }
          @launcher.in_background { @connection.serve }
        end

        def request(...) = StubCall.new(@connection, @dispatcher, @core.ref).run(...)

        def hook(name, reason)
          ErrorCodec.with_reason(reason) { |why| request(:hook, name, why) }
        end

        def unusable? = @connection.closed? || @connection.broken?

        def lost
          raise ActorDied.new(ref: @core.ref, reason: @connection.reason) unless @ended
        end

        def leave(reason)
          return @connection.tell(:stop, reason) if @connection.busy?

          request(:hook, :on_stop, reason)
          @connection.tell(:leave)
          @launcher.leave
        end

        # Without an object its process or Ractor ends.
        def end_on_error
          yield
        rescue Exception # standard:disable Lint/RescueException
          @ended = true
          @launcher.stop
          raise
        end

        # The core has ended without {on_stop}: it could not wait.
        def abandon
          return if @ended

          @ended = true
          @launcher.abandon
        end
      end
    end
  end
end
