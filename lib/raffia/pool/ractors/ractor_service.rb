# frozen_string_literal: true

require_relative "../failure_dump"
require_relative "loan"
require_relative "ractor_adapter"
require_relative "../reply_dump"
require_relative "../work"

module Raffia
  class Pool
    # What a Ractor does: receive a chunk, run the block over it, write the reply, until it receives
    # nil.
    #
    # @api private
    module RactorService
      # @param plan [Plan] shareable
      # @param input [#slice, nil] shareable, when chunks come as numbers
      # @param tray [Native::RactorMailbox, nil] where long Strings are left
      # @return [RactorAdapter]
      def self.start(plan, input, tray)
        RactorAdapter.new do |fd|
          RactorAdapter.start(plan, input, tray,
            fd) do |given_plan, given_input, given_tray, given_fd|
            RactorAdapter.serve(given_fd) do |writer|
              RactorService.run(given_plan, given_input, given_tray, writer)
            end
          end
        end
      end

      # In the Ractor.
      # @param writer [Process::FramedPipe::Writer]
      # @return [void]
      def self.run(plan, input, tray, writer)
        while (message = ::Ractor.receive)
          break unless writer.write(answer(plan, input, tray, message))
        end
      end

      # @return [String] in any case: results and errors are the user's objects, which may raise
      #   whatever they are asked
      def self.answer(plan, input, tray, message)
        first, what = message
        reply = Work.call(plan, what.is_a?(Integer) ? input.slice(first, what) : items(plan, what))
        ReplyDump.dump(Loan.deposit(reply, tray))
      rescue ::Exception => error # standard:disable Lint/RescueException
        ReplyDump.dump(Reply.new(nil, Work.failure(error, 0)))
      end
      private_class_method :answer

      def self.items(plan, what)
        if plan.operation == :settle
          what.map { |arguments| Loan.borrow(arguments) }
        else
          Loan.borrow(what)
        end
      end
      private_class_method :items

      # A Ractor that waits for Ractors, so that the main one need not: it receives them, and writes
      # what each has come to.
      # @return [RactorAdapter]
      def self.relay
        RactorAdapter.new do |fd|
          RactorAdapter.start(fd) do |given_fd|
            RactorAdapter.serve(given_fd) { |writer| RactorService.run_relay(writer) }
          end
        end
      end

      # In the Ractor.
      # @return [void]
      def self.run_relay(writer)
        while (message = ::Ractor.receive)
          reply = outcome(*message)
          break unless writer.write(ReplyDump.dump(reply))
        end
      end

      # @param keep [Boolean] whether anybody wants the value
      # @return [Reply]
      def self.outcome(ractor, keep)
        value = RactorAdapter.value(ractor)
        Reply.new(keep ? value : nil)
      rescue ::Exception => error # standard:disable Lint/RescueException
        Reply.new(nil, Work.failure((error.is_a?(::Ractor::RemoteError) && error.cause) ||
          error, 0))
      end
      private_class_method :outcome
    end
  end
end
