# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../failure"
require_relative "../reply"
require_relative "../reply_transport"
require_relative "adapter"
require_relative "isolation_violation"
require_relative "object_transfer"

module Raffia
  module Executor
    module Ractors
      # A Ractor that answers messages, seen by its worker loop.
      class Worker
        attr_reader :service

        def initialize(service, tuner, move: false)
          @service = service
          @move = move
          @mailbox = ObjectTransfer.mailbox
          @ractor = Worker.start(service, @mailbox)
          @tuner = tuner.tap(&:enter)
        end

        def self.start(service, mailbox)
          Adapter.new do |fd|
            Adapter.start(service, mailbox, fd) do |its_service, its_mailbox, its_fd|
              Adapter.serve(its_fd) { |writer| Worker.serve(its_service, its_mailbox, writer) }
            end
          end
        end

        def self.serve(service, mailbox, writer)
          while (message = ::Ractor.receive)
            break unless writer.write(answer(service, mailbox, message))
          end
        end

        # A String in any case: results and errors are the user's objects, which may raise when
        # asked.
        def self.answer(service, mailbox, message)
          message[1] = ObjectTransfer.borrow(message[1], service.nesting)
          ReplyTransport.dump(ObjectTransfer.deposit(service.call(message), mailbox))
        rescue ::Exception => error # standard:disable Lint/RescueException
          ReplyTransport.dump(Reply.new(nil, Failure.of(error)))
        end
        private_class_method :answer

        def pid = nil
        def replaced = 0
        def room?(_count) = true

        def post(message, _count)
          return @ractor.post(message) if message.last.is_a?(Integer)

          @ractor.post([message.first, outgoing(message.last)], move: @move)
        rescue TypeError, ::Ractor::Error => error
          raise yield(error)
        end

        def receive
          frame = @ractor.read or return
          reply = ReplyTransport.load(frame) { |error| yield error }
          IsolationViolation.explain(ObjectTransfer.collect(reply, @mailbox), @service.block)
        end

        def reply?(seconds) = @ractor.reply?(seconds)
        def notes? = false

        def sendable?(value)
          ObjectTransfer.moved?(value) || ::Ractor.make_shareable(value, copy: true)
          true
        rescue ::Ractor::Error, TypeError
          false
        end

        def refusal(value, index, error)
          NotShareable.new("item #{index} (#{value.class}) cannot be " \
            "#{@move ? "moved" : "copied"} to another Ractor (#{error.message}): hand in plain " \
            "data, or run it on: :processes or :threads")
        end

        # Only an error of ours, or what `rescue Exception` does not see (Thread#kill), ends a
        # Ractor without a reply.
        def death
          blamed = yield
          words = @ractor.last_words
          WorkerDied.new("the Ractor that worked on item #{blamed[:index]} and its followers " \
            "ended without a reply#{" (#{words})" if words}", **blamed)
        end

        # The Ractor is left to work on, from any thread; its loop then finds it gone.
        def interrupt
          @ractor.abandon
          :abandoned
        end

        def close(grace)
          grace.zero? ? @ractor.abandon : @ractor.finish
        ensure
          @tuner.leave
        end

        private

        # The Arrays around what is moved are ours, so that only the values go.
        def outgoing(values)
          return ObjectTransfer.lend(values, @service.nesting) unless @move

          (@service.nesting == 2) ? values.map(&:dup) : values.to_a.dup
        end
      end
    end
  end
end
