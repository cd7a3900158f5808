# frozen_string_literal: true

require_relative "ractor_local"

module Raffia
  # Lets objects that own something a child process must not touch (rings, threads, sockets) clean
  # up after a fork, however the fork came about: Kernel#fork, Process.fork, IO.popen("-").
  #
  # The callbacks live in storage local to the Ractor: only the Ractor that forked goes on in the
  # child, so only its callbacks may run there, and there is no global list that other Ractors could
  # not read.
  module Fork
    KEY = :raffia_after_fork
    private_constant :KEY

    # Sits on core's own seam for this; it costs nothing in the parent.
    module Hook
      # @return [Integer] the child's pid; in the child 0
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

      # Forgets the callback; harmless when repeated.
      # @return [void]
      def remove
        @callbacks.delete(self)
        nil
      end
    end

    class << self
      # Registers a block to run in each child that is forked from now on, in order of registration.
      # It is kept (with all that it refers to) until its handle is removed, and the child inherits
      # it for its own children.
      # @return [Handle]
      def after_child(&block)
        raise ArgumentError, "a block is needed: what should the child do?" unless block

        install
        handle = Handle.new(callbacks)
        callbacks[handle] = block
        handle
      end

      # Prepends the hook to Process, on first use and not on require. But a class must not change
      # while other Ractors call methods of it (Ruby 3.4 crashes), so what may be used first in a
      # Ractor calls this on require.
      # @return [void]
      def install
        ::Process.singleton_class.prepend(Hook) unless ::Process.singleton_class.include?(Hook)
      end

      # Runs the callbacks. One that raises is reported and does not keep the others from running: a
      # half-reset child is worse than a warning. They block: the scheduler of the fiber that forked
      # is the parent's, and whoever waited in it would find himself in a copy of the parent's loop.
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
