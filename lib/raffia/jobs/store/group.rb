# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Base of all groups of operations. A group declares parts of the store, and other groups,
      # which become its instance variables.
      # @api private
      class Group
        NEEDS = [].freeze

        # A constant, because Ractors may not call a method that a block defines.
        def self.needs(*names) = const_set(:NEEDS, names.freeze)
        private_class_method :needs

        # The parts are a Hash by name, see {Store#build_groups}.
        def initialize(parts)
          self.class::NEEDS.each { |name| instance_variable_set(:"@#{name}", parts[name]) }
        end
      end
    end
  end
end
