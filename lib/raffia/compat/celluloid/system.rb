# frozen_string_literal: true

require "timeout"

module Celluloid
  class Actor
    # A set of actors with their names and services. It ends as a whole.
    class System
      extend Forwardable

      def_delegators :@registry, :[], :get, :[]=, :set, :delete

      attr_reader :registry
      attr_reader :group

      alias_method :public_registry, :registry

      def initialize
        @registry = Internals::Registry.new
        @group = Celluloid.group_class.new
        @cells = {}.compare_by_identity
        @lock = ::Raffia::SpinLock.new
        @root = ROOT_SERVICES
      end

      def root_configuration = @root

      def root_services = @tree

      def start
        return true if @tree&.alive?

        within do
          @root = Supervision::Service::Root.define
          @tree = @root.deploy
        end
        true
      end

      def within
        before = ::Thread.current[:celluloid_actor_system]
        ::Thread.current[:celluloid_actor_system] = self
        yield
      ensure
        ::Thread.current[:celluloid_actor_system] = before
      end

      def get_thread
        group.assert_active
        Internals.threads.submit { within { yield } }
      end

      def stack_dump = Internals::Stack::Dump.new(self)

      def stack_summary = Internals::Stack::Summary.new(self)

      def registered = @registry.names

      def clear_registry = @registry.clear

      def running = cells.map(&:proxy)

      def cells = @lock.hold { @cells.keys }

      def running? = group.active?

      # An actor that calls this ends after the method that does.
      def shutdown
        limit = ::Raffia::Clock.now + shutdown_timeout
        own = ::Thread.current[:celluloid_actor]
        own&.terminate
        while (actors = cells - [own]).any? # they may begin others before they end
          Internals::Logger.debug("Terminating #{actors.size} actor#{"s" if actors.size > 1}...")
          actors.each(&:terminate)
          return kill(actors) unless ended?(actors, limit)
        end
      ensure
        group.shutdown
        clear_registry
      end

      def assert_inactive = group.assert_inactive

      def shutdown_timeout = Celluloid.shutdown_timeout

      def add(cell)
        raise NotActive, "the actor system has been shut down" unless running?

        @lock.hold { @cells[cell] = true }
      end

      def forget(cell) = @lock.hold { @cells.delete(cell) }

      private

      def ended?(actors, limit)
        actors.all? { |cell| cell.join([limit - ::Raffia::Clock.now, 0].max) }
      end

      def kill(actors)
        Internals::Logger.error("Couldn't cleanly terminate all actors in #{shutdown_timeout} " \
          "seconds!")
        actors.each { |cell| Actor.kill(cell.proxy) if cell.alive? || cell.status == :stopping }
      end
    end
  end
end
