# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      # Finds constants as the code that names them would.
      module ConstantLookup
        class << self
          # nil when there is no such constant, or none yet.
          def value(path, nesting)
            head, *rest = path.first.empty? ? path.drop(1) : path
            scope = nesting.find { |part| part.const_defined?(head, false) } if head == path.first
            first = (scope || nesting.first || ::Object).const_get(head)
            rest.reduce(first) { |part, name| part.const_get(name) }
          rescue NameError, LoadError, TypeError
            nil
          end

          # The modules where a method of this owner looks constants up, by its name.
          def nesting(owner)
            owner = owner.attached_object if owner.singleton_class?
            names = owner.name.to_s.split("::")
            outer = (1...names.size).map { |count| names.first(count).join("::") }
            [owner, *outer.reverse.map { |name| ::Object.const_get(name) }].grep(::Module)
          end
        end
      end
    end
  end
end
