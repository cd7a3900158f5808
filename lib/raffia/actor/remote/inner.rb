# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A message on its way through the object, where that lives.
      #
      # @api private
      class Task < Message
        # @return [Integer] the number of the question that it is
        attr_reader :number

        def initialize(number, cell, name, arguments, keywords, answer, deadline)
          super(cell, name, arguments, keywords, nil, answer, deadline, nil)
          @number = number
        end

        # @return [Integer, nil] of the one that waits for what the running code does
        def self.number = Message.current&.chain&.find { |message| message.is_a?(Task) }&.number

        # @return [Answer]
        def postpone
          @postponed = true
          @reply.postpone
          @reply
        end
      end

      # What was asked of an actor elsewhere, for whoever waits for its answer later: see {Message#await}.
      #
      # @api private
      class Asked
        def initialize(line, number)
          @line = line
          @number = number
        end

        # It is over there that a circle would be seen.
        def cell = self

        def check_cycle(_waiting, _message) = nil

        # @yield while the message waits for this
        def awaited_by(_message)
          task = Task.number or return yield
          @line.tell(:waits, @number, task)
          begin
            yield
          ensure
            @line.tell(:rests, task)
          end
        end
      end

      # The object's own cell, as the object sees it: what it wants of its cell is asked of the other side. Blocks stay here, under numbers.
      #
      # @api private
      class Inner < Distant
        # @param line [Line] to the side where the cell is
        def initialize(data, line)
          super
          @guard = Guard.new
          @blocks = {}
          @last = 0
        end

        # @return [Clock]
        def set_timer(seconds, again, &block)
          key = keep(block, again)
          line.ask(ref, :timer, seconds, again, key)
          Clock.new(self, key)
        end

        # @return [void]
        def stop_timer(key)
          line.tell(:cancel, key) if @guard.hold { @blocks.delete(key) }
        end

        # (see Cell::Bonds#urge)
        def urge(&block) = line.tell(:urge, keep(block, false))

        # (see Cell::Bonds#monitor)
        def monitor(other, &block) = other.watch { |ref, reason| urge { block.call(ref, reason) } }

        # @return [void]
        def demonitor(other, handle) = other.unwatch(handle)

        # @return [void]
        def link(other) = line.ask(ref, :link, other.ref)

        # @return [void]
        def unlink(other) = line.ask(ref, :unlink, other.ref)

        # (see Cell#subscribe)
        def subscribe(pattern, handler)
          line.ask(ref, :subscribe, pattern, handler.is_a?(Symbol) ? handler : keep(handler, true))
        end

        # @return [void]
        def unsubscribe(pattern) = line.ask(ref, :unsubscribe, pattern)

        # @return [Proc, nil]
        def block(key)
          @guard.hold do
            block, again = @blocks[key]
            @blocks.delete(key) unless again
            block
          end
        end

        private

        def keep(block, again)
          @guard.hold do
            @blocks[@last += 1] = [block, again]
            @last
          end
        end

        # One that its object has set.
        class Clock
          def initialize(inner, key)
            @inner = inner
            @key = key
            @cancelled = false
          end

          # @return [void]
          def cancel
            @inner.stop_timer(@key) unless @cancelled
            @cancelled = true
          end

          # @return [Boolean]
          def cancelled? = @cancelled
        end
        private_constant :Clock
      end
    end
  end
end
