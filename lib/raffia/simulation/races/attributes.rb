# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # Methods of `attr_reader` and `attr_writer`: they have no bytecode, and TracePoint shows them
      # as calls of C methods.
      # @api private
      class Attributes
        def initialize
          @classes = {}.compare_by_identity
        end

        # @return [Symbol, nil] the instance variable; nil for other methods
        def variable(type, name)
          known = (@classes[type] ||= {})
          known.fetch(name) { known[name] = find(type, name) }
        end

        private

        # Among methods without Ruby code, attributes alone have a place in a file; methods of core
        # that are written in Ruby have one, too.
        def find(type, name)
          file, = type.instance_method(name).source_location
          return if file.nil? || file.start_with?("<internal:")
          :"@#{name.name.delete_suffix("=")}"
        rescue ::NameError
          nil
        end
      end
    end
  end
end
