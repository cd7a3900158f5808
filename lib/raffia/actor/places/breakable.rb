# frozen_string_literal: true

module Raffia
  class Actor
    module Places
      # A thread's work for an actor, which can be broken off almost anywhere in the user's code,
      # and nowhere else: there would be messages that nobody answers.
      #
      # @api private
      class Breakable
        HELD = {Cancel => :never}.freeze
        FREE = {Cancel => :immediate}.freeze
        private_constant :HELD, :FREE

        # Runs the block, in which only what {expose} runs can be broken off.
        def self.covered(&) = ::Thread.handle_interrupt(HELD, &)

        # @param core [ActorCore] in whose name it is broken off
        def initialize(core)
          @core = core
          @guard = SpinLock.new
          @thread = @notice = nil
        end

        # @return [Boolean] whether this was what broke it off
        def cancel(reason)
          @guard.hold do
            return false if @notice

            @notice = Cancel.new(reason, origin: @core)
            @thread&.raise(@notice)
          end
          true
        end

        # Runs the user's code.
        # @return [Object] the block's value
        # @raise [Cancel]
        def expose(&)
          @guard.hold { @notice ? (raise @notice) : @thread = ::Thread.current }
          begin
            ::Thread.handle_interrupt(FREE, &)
          ensure
            cover
          end
        end

        private

        # What was sent is taken off the air: raising an exception gives it its backtrace.
        def cover
          notice = @guard.hold do
            @thread = nil
            @notice
          end
          ::Thread.handle_interrupt(FREE) { ::Thread.pass } if notice && !notice.backtrace
        rescue Cancel => cancel
          raise unless cancel.equal?(notice)
        end
      end
    end
  end
end
