# frozen_string_literal: true

module Raffia
  class Actor
    # Makes an actor's object from its class and arguments, at the start and after each restart.
    #
    # @api private
    class ObjectFactory
      # Shared by all that have none, which are most.
      NO_ARGUMENTS = [].freeze
      NO_KEYWORDS = {}.freeze
      private_constant :NO_ARGUMENTS, :NO_KEYWORDS

      attr_reader :actor_class

      def initialize(actor_class, arguments, keywords, block)
        @actor_class = actor_class
        @arguments = arguments.empty? ? NO_ARGUMENTS : arguments
        @keywords = keywords.empty? ? NO_KEYWORDS : keywords
        @block = block
      end

      # Positional and keyword arguments.
      def arguments = [@arguments, @keywords]

      def block? = !@block.nil?

      # Returns the object, attached to its core before its `initialize` runs.
      def build(core)
        object = @actor_class.allocate
        object.__send__(:raffia_attach, core)
        object.__send__(:initialize, *@arguments, **@keywords, &@block)
        object
      end

      # The actor has ended: no other object follows.
      def discard(_reason) = nil
    end
  end
end
