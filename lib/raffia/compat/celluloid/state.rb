# frozen_string_literal: true

require "logger"

module Celluloid
  module Internals
    # The settings of the process, and its actor system.
    #
    # @api private
    class State
      def self.current = ::Raffia::RactorLocal.fetch(:raffia_celluloid) { new }

      attr_accessor :logger, :log_actor_crashes, :group_class, :task_class, :debug
      # Seconds; a call_timeout of nil is no bound.
      attr_accessor :shutdown_timeout, :call_timeout
      attr_reader :exception_handlers, :system

      def initialize
        @logger = ::Logger.new($stderr, level: ::Logger::INFO)
        @log_actor_crashes = true
        @shutdown_timeout = 10
        @exception_handlers = []
        @autoboot = true
        @lock = ::Thread::Mutex.new
        ::Raffia::Fork.after_child { forked }
      end

      # The same settings for a simulated run, with a system of its own that ends with the run.
      def initialize_copy(original)
        super
        @exception_handlers = original.exception_handlers.dup
        @lock = ::Thread::Mutex.new
        @autoboot = @test = true
        @system = nil
      end

      # Tests end themselves what they begin.
      def test! = @test = true

      # A system that was taken away is not booted again behind the program's back.
      def system=(system)
        @autoboot = false
        @system = system
      end

      # Boots it on first use. Raises Error when it was shut down.
      def system!
        @system || @lock.synchronize { @system || booted }
      end

      # Once per process: actors end, with their finalizers, before it does.
      def register_shutdown
        return if @registered || @test

        @registered = true
        ::Raffia::Signals.at_exit do
          ::Celluloid.shutdown if @system && ($!.nil? || $!.is_a?(SystemExit))
        end
      end

      private

      def booted
        raise Error, "Celluloid is not yet started; use Celluloid.boot" unless @autoboot

        # Visible to other threads only with its services.
        system = Actor::System.new
        system.start
        register_shutdown
        @system = system
      end

      # The child has none of its parent's actors, and boots a system of its own on first use. The
      # forking code may have been an actor's.
      def forked
        %i[celluloid_actor celluloid_mailbox celluloid_task celluloid_actor_system].each do |name|
          ::Thread.current[name] = nil
        end
        ::Raffia::Actor::Message.clear_current
        @autoboot = true if @system
        @system = nil
        @registered = false
      end
    end
  end
end
