# frozen_string_literal: true

module Raffia
  class Actor
    module Executors
      # Interrupts a thread in the user's code only: elsewhere messages would stay unanswered.
      class InterruptScope
        PROTECTED = {Cancel => :never}.freeze
        EXPOSED = {Cancel => :immediate}.freeze
        private_constant :PROTECTED, :EXPOSED

        # Runs the block, of which only what {expose} runs can be interrupted.
        def self.protect(&) = ::Thread.handle_interrupt(PROTECTED, &)

        def initialize(core)
          @core = core
          @lock = SpinLock.new
          @thread = @interrupt = nil
        end

        def cancel(reason)
          @lock.hold do
            return false if @interrupt

            @interrupt = Cancel.new(reason, origin: @core)
            @thread&.raise(@interrupt)
          end
          true
        end

        def expose(&)
          @lock.hold { @interrupt ? (raise @interrupt) : @thread = ::Thread.current }
          begin
            ::Thread.handle_interrupt(EXPOSED, &)
          ensure
            receive
          end
        end

        private

        # Receives an interrupt on its way: one that was raised has a backtrace.
        def receive
          interrupt = @lock.hold do
            @thread = nil
            @interrupt
          end
          return if interrupt.nil? || interrupt.backtrace

          ::Thread.handle_interrupt(EXPOSED) { ::Thread.pass }
        rescue Cancel => cancel
          raise unless cancel.equal?(interrupt)
        end
      end
    end
  end
end
