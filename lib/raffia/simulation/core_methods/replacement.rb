# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Replaces methods of one object by the public ones of a module; `super` calls the originals.
      #
      # Not by `prepend`: a library that stubs such a method by `alias_method` (Rails' travel_to,
      # Minitest's stub, Timecop) would restore an alias of the prepended method, whose `super` is
      # that alias itself.
      #
      # @api private
      module Replacement
        class << self
          def call(object, methods)
            owner = object.singleton_class
            originals = ::Module.new
            methods.instance_methods(false).each do |name|
              original = original_name(object, name)
              owner.alias_method(original, name)
              define_call(originals, name, original)
              owner.define_method(name, methods.instance_method(name))
            end
            object.extend(originals)
          end

          private

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
