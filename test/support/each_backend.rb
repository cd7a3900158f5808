# frozen_string_literal: true

module TestSupport
  # A suite that runs on several back ends of the engine.
  module EachBackend
    # Defines a test class for each of them, named after the suite; +backend+ says there which it
    # is.
    # @param suite [Module] the tests
    # @param cases [Module] what they are written with
    # @param backends [Array<Symbol>]
    def self.define(suite, cases, backends)
      backends.each do |name|
        parent = Class.new(Raffia::TestCase) do
          include cases
          include suite

          define_method(:backend) { name }
        end
        suite.const_set(:"On#{name.capitalize}Test", parent)
      end
    end
  end
end
