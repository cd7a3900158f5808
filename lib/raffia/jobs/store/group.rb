# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Base of all groups of operations. A group declares parts of the store, and other groups,
      # which become its instance variables.
      # @api private
      class Group
        def self.needs(*names) = define_singleton_method(:needed) { names }
        private_class_method :needs

        def self.needed = []

        # The parts are a Hash by name, see {Store#build_groups}.
        def initialize(parts)
          self.class.needed.each { |name| instance_variable_set(:"@#{name}", parts[name]) }
        end
      end
    end
  end
end
