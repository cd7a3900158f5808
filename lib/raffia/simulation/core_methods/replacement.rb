# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Replaces methods of one object by the public ones of a module; `super` calls the originals.
      #
      # Not by `prepend`: a library that stubs such a method by `alias_method` (Rails' travel_to,
      # Minitest's stub, Timecop) would restore an alias of the prepended method, whose `super` is
      # that alias itself. Originals must not call `super`.
      #
      # @api private
      module Replacement
        class << self
          def call(object, methods)
            owner = object.singleton_class
            originals = ::Module.new
            methods.instance_methods(false).each do |name|
              if (own = own_method(owner, name))
                original = original_name(object, name)
                owner.define_method(original, own)
                define_call(originals, name, original)
              end
              owner.define_method(name, methods.instance_method(name))
            end
            object.extend(originals)
          end

          private

          # Nil for inherited methods, which `super` finds. Prepended ones come before.
          def own_method(owner, name)
            method = owner.instance_method(name)
            method = method.super_method until method.nil? || method.owner.equal?(owner)
            method
          end

          # A class and its superclass may both have a method replaced.
          def original_name(object, name)
            "__raffia_#{object.name}_#{name}".gsub(/\W/) { |letter| "_#{letter.ord}" }.to_sym
          end

          # Not by a block, which other Ractors could not call.
          def define_call(originals, name, original)
            originals.module_eval(<<~RUBY, __FILE__, __LINE__ + 1)
              def #{name}(...)
                #{original}(...)
              end
            RUBY
          end
        end
      end
    end
  end
end
