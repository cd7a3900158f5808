# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # Tells which variable of which object a name in the code means, at one place of a run.
      # @api private
      class Identities
        # One variable that several threads may reach. Two accesses to the same variable have the
        # same object.
        class Identity
          FROZEN = ::Kernel.instance_method(:frozen?)
          private_constant :FROZEN

          attr_reader :kind, :name, :owner

          def initialize(kind, name, owner)
            @kind = kind
            @name = name
            @owner = owner
          end

          # @return [Boolean] whether its object is frozen, so that nothing changes it any more
          def constant? = @kind == :instance && FROZEN.bind_call(@owner)

          # The same in each run, so it has no addresses.
          def to_s
            case @kind
            when :instance then "#{@name} of #{Identities.describe(@owner)}"
            when :local then "local variable #{@name}"
            else @name.to_s
            end
          end
        end

        CLASS = ::Kernel.instance_method(:class)
        private_constant :CLASS

        # @return [String]
        def self.describe(object)
          return object.name || "an anonymous module" if ::Module === object
          CLASS.bind_call(object).name || "an object of an anonymous class"
        end

        def initialize
          @instances = {}.compare_by_identity
          @shared = {}
          @locals = {}
        end

        # @param binding [Binding, nil] for locals
        # @return [Identity]
        def of(variable, object, binding)
          case variable.kind
          when :instance then instance(object, variable.name)
          when :local then local(variable.name, binding)
          else @shared[variable.name] ||= Identity.new(variable.kind, variable.name, nil)
          end
        end

        # @return [Identity] of the instance variable of an object
        def instance(object, name)
          (@instances[object] ||= {})[name] ||= Identity.new(:instance, name, object)
        end

        private

        # Ruby does not tell whether two bindings share a variable, so a mark is set in one and
        # looked for in the others. Locals that nothing may set are known to one thread only.
        def local(name, binding)
          known = (@locals[name] ||= [])
          value = binding.local_variable_get(name)
          mark = ::Object.new
          binding.local_variable_set(name, mark)
          found = known.find { |other, _| other.local_variable_get(name).equal?(mark) }
          binding.local_variable_set(name, value)
          found ||= [binding, Identity.new(:local, name, nil)].tap { |pair| known << pair }
          found.last
        rescue ::NameError
          Identity.new(:local, name, nil)
        end
      end
    end
  end
end
