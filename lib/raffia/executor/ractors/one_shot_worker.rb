# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../reply_transport"
require_relative "adapter"
require_relative "isolation_violation"
require_relative "portable_block"
require_relative "relay"

module Raffia
  module Executor
    module Ractors
      # A new Ractor for each call, for blocks that cannot be handed to a living one.
      class OneShotWorker
        # `limit`: seconds for a call.
        def initialize(service, limit = nil)
          @block = service.block
          @results = service.results?
          @limit = limit
          @relay = Relay.start
        end

        # The block's value. Raises Failure::Remote. Raises NotShareable, WorkerDied, TimeoutError.
        def call(*arguments)
          @relay.post([start(arguments), @results])
          overrun unless @relay.reply?(@limit)
          frame = @relay.read or lost
          reply = ReplyTransport.load(frame) { |error| unloadable(error) }
          IsolationViolation.explain(reply, @block)
          reply.failure ? raise(Failure::Remote.new(reply.failure)) : reply.value
        end

        # (see Worker#interrupt)
        def interrupt
          @relay.abandon
          :abandoned
        end

        # (see Worker#close)
        def close(grace) = grace.zero? ? @relay.abandon : @relay.finish

        private

        def unloadable(error)
          NotDumpable.new("the result cannot be loaded here (#{error.message}): load its class " \
            "before the call, or return plain data")
        end

        def lost
          words = @relay.last_words
          @relay = Relay.start
          raise WorkerDied, "the Ractor that waits for the others ended#{" (#{words})" if words}"
        end

        # The relay goes on waiting for a Ractor that nobody can stop.
        def overrun
          @relay.abandon
          @relay = Relay.start
          raise TimeoutError.new(seconds: @limit)
        end

        def start(arguments)
          unreported { Adapter.start(*arguments, &@block) }
        rescue ::Ractor::IsolationError, ArgumentError => error
          raise PortableBlock.refusal(@block, error)
        rescue TypeError => error
          raise NotShareable,
            "the item cannot be copied to another Ractor (#{error.message}): hand " \
            "in plain data, or run it on: :processes or :threads"
        end

        # The exception comes back to the caller, so the Ractor's thread does not print it. Whether
        # a thread reports is settled when it is made. The switch belongs to the process, so it is
        # turned for that moment only.
        def unreported
          # Off already: another loop is at it, and puts back what was. If this one did so too, it
          # could stay off.
          return yield unless ::Thread.report_on_exception

          begin
            ::Thread.report_on_exception = false
            yield
          ensure
            ::Thread.report_on_exception = true
          end
        end
      end
    end
  end
end
