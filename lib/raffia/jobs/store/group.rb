# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Base of all groups of operations.
      # @api private
      class Group
        # Defines the constructor of a group whose arguments become its instance variables.
        # @param names [Array<Symbol>]
        def self.needs(*names)
          variables = names.map { |name| "@#{name}" }
          class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
            def initialize(#{names.join(", ")})
              #{variables.join(", ")} = #{names.join(", ")}
            end
          RUBY
        end
        private_class_method :needs
      end
    end
  end
end
