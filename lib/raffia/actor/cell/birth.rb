# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # What an actor's object is made of, now and after each restart.
      #
      # @api private
      class Birth
        # Most are made of nothing.
        NO_ARGUMENTS = [].freeze
        NO_KEYWORDS = {}.freeze
        private_constant :NO_ARGUMENTS, :NO_KEYWORDS

        # @return [Class]
        attr_reader :actor_class

        def initialize(actor_class, arguments, keywords, block)
          @actor_class = actor_class
          @arguments = arguments.empty? ? NO_ARGUMENTS : arguments
          @keywords = keywords.empty? ? NO_KEYWORDS : keywords
          @block = block
        end

        # @return [Array(Array, Hash)] the arguments and keywords
        def parts = [@arguments, @keywords]

        # @return [Boolean]
        def block? = !@block.nil?

        # @return [Actor] which knows its cell before its `initialize` runs
        def give(cell)
          @actor_class.allocate.tap do |subject|
            subject.__send__(:raffia_attach, cell)
            subject.__send__(:initialize, *@arguments, **@keywords, &@block)
          end
        end

        # There will be no other object.
        # @return [void]
        def bury(_reason) = nil
      end
    end
  end
end
