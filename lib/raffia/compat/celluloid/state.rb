# frozen_string_literal: true

require "logger"

module Celluloid
  module Internals
    # The settings of the process, and its actor system.
    #
    # @api private
    class State
      def self.current = ::Raffia::RactorLocal.fetch(:raffia_celluloid) { new }

      attr_accessor :logger
      attr_accessor :log_actor_crashes
      attr_accessor :group_class, :task_class
      # Seconds.
      attr_accessor :shutdown_timeout
      # Seconds that a call may take; nil: any time.
      attr_accessor :call_timeout
      # Whether to say more.
      attr_accessor :debug
      # Who wants to hear of crashes.
      attr_reader :exception_handlers
      attr_reader :system

      def initialize
        @logger = ::Logger.new($stderr, level: ::Logger::INFO)
        @log_actor_crashes = true
        @shutdown_timeout = 10
        @exception_handlers = []
        @autoboot = true
        @lock = ::Thread::Mutex.new
        ::Raffia::Fork.after_child { forked }
      end

      # Tests end what they begin themselves.
      def test! = @test = true

      # Nobody boots a system behind the back of who has taken it away.
      def system=(system)
        @autoboot = false
        @system = system
      end

      # Which is booted by who first wants it.
      # Raises Error when it was shut down.
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

        # Others see it when its services are there.
        system = Actor::System.new
        system.start
        register_shutdown
        @system = system
      end

      # The child has none of its parent's actors, and begins with a system of its own when it wants
      # one. What forked it may have been one.
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
