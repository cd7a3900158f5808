# frozen_string_literal: true

module Raffia
  class Actor
    # Actors by name. A restart keeps the name; the end frees it.
    #
    # @api private
    class Registry
      # The one of the running Ractor.
      def self.current = RactorLocal.fetch(:raffia_actor_registry) { new }

      def initialize
        @lock = SpinLock.new
        @refs = {}
        Fork.after_child { @refs = {} }
      end

      # Raises Rejected when a living actor has the name.
      def claim(name, ref)
        @lock.hold do
          other = @refs[name]
          if other&.alive? && other != ref
            raise Rejected, "the name #{name.inspect} belongs to #{other.inspect}: choose " \
              "another, or stop that one first"
          end

          @refs[name] = ref
        end
      end

      def release(name, ref) = @lock.hold { @refs.delete(name) if @refs[name] == ref }

      def [](name) = @refs[name]

      def names = @lock.hold { @refs.keys }
    end
  end
end
