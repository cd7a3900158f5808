# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Replaces methods of one object by those of a module; `super` calls the originals.
      #
      # Not by `prepend`: a library that stubs such a method by `alias_method` (Rails' travel_to,
      # Minitest's stub, Timecop) would restore an alias of the prepended method, whose `super` is
      # that alias itself.
      #
      # @api private
      module Replacement
        def self.call(object, methods)
          owner = object.singleton_class
          originals = ::Module.new
          methods.instance_methods(false).each do |name|
            original = :"__raffia_#{name}"
            owner.alias_method(original, name)
            originals.define_method(name) do |*arguments, **options, &block|
              __send__(original, *arguments, **options, &block)
            end
            owner.define_method(name, methods.instance_method(name))
          end
          object.extend(originals)
        end
      end
    end
  end
end
