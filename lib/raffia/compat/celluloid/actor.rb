# frozen_string_literal: true

module Celluloid
  # Functions for actors, by their proxies.
  class Actor
    class << self
      extend Forwardable

      def_delegators :"Celluloid.actor_system", :[], :[]=, :get, :set, :delete, :registered,
        :clear_registry

      def current = cell!.proxy

      def registered_name = cell!.name

      def all = Celluloid.actor_system.running

      def call(mailbox, name, ...) = Proxy::Sync.new(mailbox, "Actor").method_missing(name, ...)

      def async(mailbox, name, ...) = Proxy::Async.new(mailbox, "Actor").method_missing(name, ...)

      def future(mailbox, name, ...) = Proxy::Future.new(mailbox, "Actor").method_missing(name, ...)

      # The running actor is notified of the other's end. Raises NotActorError outside of an actor.
      def monitor(actor) = linking_cell.start_monitoring(cell(actor))

      def unmonitor(actor) = linking_cell.stop_monitoring(cell(actor))

      def link(actor)
        linking_cell.link(cell(actor))
        Probe.actors_linked(linking_cell, cell(actor))
      end

      def unlink(actor) = linking_cell.unlink(cell(actor))

      def monitoring?(actor) = cell(actor).links.to_a.include?(linking_cell)

      def linked_to?(actor) = monitoring?(actor) && linking_cell.links.to_a.include?(cell(actor))

      def kill(actor) = cell(actor).kill(:killed)

      def join(actor, timeout = nil)
        cell(actor).join(timeout)
        actor
      end

      def cell(actor)
        mailbox = actor.mailbox if Proxy::Abstract === actor || actor.respond_to?(:mailbox)
        mailbox&.cell or raise TypeError, "not an actor"
      end

      def cell! = ::Thread.current[:celluloid_actor] || raise(NotActorError, "not in actor scope")

      private

      def linking_cell
        ::Thread.current[:celluloid_actor] ||
          raise(NotActorError, "can't link outside actor context")
      end
    end
  end
end
