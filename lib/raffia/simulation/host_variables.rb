# frozen_string_literal: true

module Raffia
  module Simulation
    # Instance variables of classes and other objects of which each host has its own value, as
    # processes have. The values change when a thread of another host goes on.
    #
    # @api private
    class HostVariables
      # +initial+: makes the value that a host begins with, nil for none.
      Variable = ::Data.define(:owner, :name, :initial) do
        # The values in an Array; an empty one for a variable that is not set.
        def take
          owner.instance_variable_defined?(name) ? [owner.remove_instance_variable(name)] : []
        end

        def put(values)
          values.each { |value| owner.instance_variable_set(name, value) }
        end
      end
      private_constant :Variable

      def initialize
        @variables = []
        @values = {} # [host, incarnation] => values by variable
        @host = nil
        @incarnation = 0
      end

      def add(owner, name, initial)
        unless name.is_a?(::Symbol) && name.match?(/\A@[^@]/)
          raise ConfigError, "#{name.inspect} is no instance variable: give a name such as :@pool"
        end

        @variables << Variable.new(owner, name, initial)
      end

      # A thread of the host goes on; nil for the block of the run itself.
      def enter(host)
        incarnation = host&.incarnation || 0
        return if host.equal?(@host) && incarnation == @incarnation

        @values[[@host, @incarnation]] = @variables.to_h { |one| [one, one.take] }
        @host = host
        @incarnation = incarnation
        known = @values.delete([host, incarnation]) || {}
        @variables.each { |one| one.put(known.fetch(one) { first(one) }) }
      end

      private

      def first(variable) = variable.initial ? [variable.initial.call] : []
    end
  end
end
