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
            scope = (nesting.find { |room| room.const_defined?(head, false) } unless path.first
              .empty?)
            rest.reduce((scope || nesting.first || ::Object).const_get(head)) do |room, name|
              room.const_get(name)
            end
          rescue NameError, LoadError, TypeError
            nil
          end

          # The modules where a method of this owner looks constants up, by its name.
          def nesting(owner)
            owner = owner.attached_object if owner.singleton_class?
            names = owner.name.to_s.split("::")
            rooms = (1...names.size).map do |count|
              ::Object.const_get(names.first(count).join("::"))
            end
            [owner, *rooms.reverse].grep(::Module)
          end
        end
      end
    end
  end
end
