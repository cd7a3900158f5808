# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../failure"
require_relative "../reply_transport"
require_relative "adapter"
require_relative "isolation_violation"
require_relative "portable_block"

module Raffia
  module Executor
    module Ractors
      # A new Ractor for each call, for blocks that cannot be handed to a living one.
      class OneShotWorker
        def initialize(service, limit = nil)
          @block = service.block
          @results = service.results?
          @limit = limit
          @relay = Relay.start
        end

        # The block's value. Raises Failure::Remote, NotShareable, WorkerDied, TimeoutError.
        def call(*arguments)
          @relay.post([start(arguments), @results])
          overrun unless @relay.reply?(@limit)
          frame = @relay.read or lost
          reply = ReplyTransport.load(frame) { |error| unloadable(error) }
          IsolationViolation.explain(reply, @block)
          reply.failure ? raise(Failure::Remote.new(reply.failure)) : reply.value
        end

        def interrupt
          @relay.abandon
          :abandoned
        end

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

        # The relay goes on waiting for a Ractor that cannot be stopped.
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

        # The exception comes back to the caller, so the Ractor's thread does not print it. A thread
        # takes the setting at its start. The setting is the process's, so it is changed for that
        # moment only.
        def unreported
          # Off already: another loop is here too, and will restore it. If this one did so too, it
          # could stay off.
          return yield unless ::Thread.report_on_exception

          begin
            ::Thread.report_on_exception = false
            yield
          ensure
            ::Thread.report_on_exception = true
          end
        end

        # A Ractor that waits for other Ractors, so that the main one need not: it receives them,
        # and sends what each has come to.
        module Relay
          class << self
            def start
              Adapter.new do |fd|
                Adapter.start(fd) do |given_fd|
                  Adapter.serve(given_fd) { |writer| Relay.serve(writer) }
                end
              end
            end

            def serve(writer)
              while (message = ::Ractor.receive)
                break unless writer.write(ReplyTransport.dump(outcome(*message)))
              end
            end

            private

            def outcome(ractor, keep)
              value = Adapter.value(ractor)
              Reply.new(keep ? value : nil)
            rescue ::Exception => error # standard:disable Lint/RescueException
              Reply.new(nil,
                Failure.of((error.is_a?(::Ractor::RemoteError) && error.cause) || error))
            end
          end
        end
      end
    end
  end
end
