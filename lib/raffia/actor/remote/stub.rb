# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # The object of an actor that lives elsewhere, as its core sees it. What the core wants of it
      # becomes a question, and whoever works for the core waits for the answer: here it is
      # interrupted, over there the work goes on to its own end, and its late answer is dropped.
      #
      # @api private
      class Stub
        include Conversation

        # @param core [ActorCore]
        # @param home [#start, #beside, #stop, #leave, #factory]
        def initialize(core, home)
          @core = core
          @home = home
          @ended = false
          @desk = StubDesk.new(core, self)
        end

        # Has the object made.
        # @return [self]
        # @raise [Exception] what its `initialize` raised
        def begin
          Places::Breakable.covered { open_line }
          surely { converse(:build, *@home.arguments) }
          self
        end

        # What {Message#invoke} calls.
        def public_send(name, *arguments, **keywords, &block)
          if block
            own_fault(NotDumpable.new("a block cannot go where #{@core.label} is: hand in a ref, " \
              "or spawn on: :threads"))
          end
          converse(:invoke, name, arguments, keywords.empty? ? nil : keywords, Raffia.deadline)
        end

        def on_start = surely { converse(:hook, :on_start) }

        def on_restart(reason)
          surely { Line::Words.for_reason(reason) { |why| converse(:hook, :on_restart, why) } }
        end

        def on_exit(ref, reason)
          Line::Words.for_reason(reason) { |why| converse(:hook, :on_exit, ref, why) }
        end

        # The object ends, and with it its place.
        # @return [void]
        def on_stop(reason)
          return if @ended

          @ended = true
          unless @line.closed? || @line.broken?
            Line::Words.for_reason(reason) { |why| farewell(why) }
          end
        ensure
          @home.stop
        end

        # A block of the object's is due.
        def raffia_run(key, *arguments, **keywords) = converse(:run_block, key, arguments, keywords)

        # The other side has ended.
        # @return [void]
        def raffia_ended
          @core.urge { lost } unless @ended
        end

        private

        def open_line
          @line = @home.start(@desk)
          @core.watch { abandon }
          @home.beside { @line.serve }
        end

        # If nobody was waiting for the other side when it ended, the core hears of it in this way.
        def lost
          raise ActorDied.new(ref: @core.ref, reason: @line.reason) unless @ended
        end

        def farewell(reason)
          return @line.tell(:stop, reason) if @line.busy?

          converse(:hook, :on_stop, reason)
          @line.tell(:leave)
          @home.leave
        end

        # Without an object there is nothing to stay for.
        def surely
          yield
        rescue Exception # standard:disable Lint/RescueException
          @ended = true
          @home.stop
          raise
        end

        # The core has ended without a word to us: it could not wait.
        def abandon
          return if @ended

          @ended = true
          @home.abandon
        end
      end
    end
  end
end
