# frozen_string_literal: true

module Raffia
  class Server
    module Ractors
      # Lists the parts of an object without calling its methods, which may be overridden.
      #
      # @api private
      module ObjectParts
        class << self
          # Yields part, label such as "MyApp@log" or "[:key]", and a proc that replaces the part.
          def each(object, &)
            variables(object, &)
            case object
            when ::Array
              object.each_with_index do |part, index|
                yield part, "[#{index}]", ->(other) { object[index] = other }
              end
            when ::Hash then hash(object, &)
            when ::Struct
              object.each_pair do |name, part|
                yield part, "#{object.class}.#{name}", ->(other) { object[name] = other }
              end
            when ::Data
              object.to_h.each do |name, part|
                yield part, "#{object.class}.#{name}", method(:fixed)
              end
            when ::Range
              [object.begin, object.end].each { |part| yield part, "an end of it", method(:fixed) }
            end
          end

          private

          def variables(object)
            name = kernel(:class, object)
            kernel(:instance_variables, object).each do |variable|
              yield kernel(:instance_variable_get, object, variable), "#{name}#{variable}",
                ->(other) { kernel(:instance_variable_set, object, variable, other) }
            end
          end

          def kernel(name, object, ...) = ::Kernel.instance_method(name).bind_call(object, ...)

          def hash(object)
            object.each do |key, part|
              yield part, "[#{label(key)}]", ->(other) { object[key] = other }
            end
            object.each_key { |key| yield key, "the key #{label(key)}", method(:fixed) }
            if object.default_proc
              yield object.default_proc, "its default block",
                ->(other) { object.default_proc = other }
            end
            unless object.default.nil?
              yield object.default, "its default", ->(other) { object.default = other }
            end
          end

          def label(key)
            if key.is_a?(::String) || key.is_a?(::Symbol) || key.is_a?(::Numeric)
              key.inspect[0, 40]
            else
              key.class.to_s
            end
          end

          def fixed(_fit) = raise(::FrozenError, "it cannot be replaced there")
        end
      end
    end
  end
end
