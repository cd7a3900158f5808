# frozen_string_literal: true

module Raffia
  module Simulation
    # Instance variables of a test, as they were before its simulation. Each run begins with them:
    # a value that one run memoizes would change the next one.
    #
    # @api private
    class TestVariables
      # +except+: those of the test framework.
      def initialize(test, except: [])
        @test = test
        @except = except
        @before = names.to_h { |name| [name, copy(test.instance_variable_get(name))] }
      end

      def reset
        (names - @before.keys).each { |name| @test.remove_instance_variable(name) }
        @before.each { |name, value| @test.instance_variable_set(name, copy(value)) }
      end

      private

      def names = @test.instance_variables - @except

      # Values that `let` has made are in a Hash.
      def copy(value) = value.instance_of?(::Hash) ? value.dup : value
    end
  end
end
