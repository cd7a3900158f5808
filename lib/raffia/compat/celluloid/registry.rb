# frozen_string_literal: true

module Celluloid
  module Internals
    # Actors by name.
    class Registry
      def initialize
        @lock = ::Raffia::SpinLock.new
        @actors = {}
        @branches = {}
      end

      def []=(name, actor)
        raise TypeError, "not an actor" unless Proxy::Abstract === actor

        cell = actor.mailbox.cell
        cell.name = name.to_sym
        @lock.hold { (name == :root) ? @root = actor : @actors[name.to_sym] = actor }
        Probe.actor_named(cell)
      end
      alias_method :set, :[]=

      def [](name) = (name == :root) ? @root : @lock.hold { @actors[name.to_sym] }
      alias_method :get, :[]

      # A method of this registry returns the names of the branch.
      def add(name, actor, branch = :services)
        set(name, actor)
        @lock.hold { @branches[name.to_sym] = branch }
      end

      def branch(name) = index.select { |_, branch| branch == name }

      def index = @lock.hold { @branches.dup }

      def delete(name)
        @lock.hold do
          @branches.delete(name.to_sym)
          @actors.delete(name.to_sym)
        end
      end

      def include?(name) = names.include?(name)

      def names = @lock.hold { @actors.keys }

      def clear
        @lock.hold do
          @branches.clear
          @actors.dup.tap { @actors.clear }
        end
      end

      private

      def method_missing(name, *) = respond_to_missing?(name) ? branch(name).keys : super

      def respond_to_missing?(name, _all = false) = index.value?(name)
    end
  end
end
