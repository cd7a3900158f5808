# frozen_string_literal: true

require_relative "ractor_local"

module Raffia
  # Lets objects that own something a child process must not touch (rings, threads, sockets) clean
  # up after a fork. Only the Ractor that forked continues in the child, so each Ractor has its own
  # callbacks.
  module Fork
    KEY = :raffia_after_fork
    private_constant :KEY

    # @api private
    module Hook
      def _fork
        super.tap { |pid| Fork.run_in_child if pid.zero? }
      end
    end
    private_constant :Hook

    # The registration that {Fork.after_child} returns.
    class Handle
      def initialize(callbacks)
        @callbacks = callbacks
      end

      # Forgets the callback; idempotent.
      # @return [void]
      def remove
        @callbacks.delete(self)
        nil
      end
    end

    class << self
      # Registers a block to run in each child that is forked from now on, in order of registration,
      # and in their children.
      # @return [Handle] to remove it
      def after_child(&block)
        raise ArgumentError, "a block is needed: what should the child do?" unless block

        install
        handle = Handle.new(callbacks)
        callbacks[handle] = block
        handle
      end

      # Prepends the hook to Process. A class must not change while other Ractors call its methods
      # (Ruby 3.4 crashes), so files that a Ractor may use first call this on require.
      # @api private
      def install
        ::Process.singleton_class.prepend(Hook) unless ::Process.singleton_class.include?(Hook)
      end

      # Runs the callbacks. One that raises is reported and does not keep the others from running: a
      # half-reset child is worse than a warning. They block, because the fiber's scheduler is the
      # parent's.
      # @api private
      def run_in_child
        callbacks.values.each do |callback|
          Fiber.blocking { callback.call }
        rescue => error
          warn "raffia: a fork callback failed in process #{::Process.pid}: " \
            "#{error.full_message(highlight: false)}"
        end
      end

      private

      def callbacks
        # Changed only by single C calls, which the GVL makes atomic.
        RactorLocal.fetch(KEY) { {}.compare_by_identity }
      end
    end
    callbacks # in the main Ractor now, before threads could race for it
  end
end
