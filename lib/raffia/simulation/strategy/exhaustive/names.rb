# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Names of objects that are the same in each run: the thread that made the object, and a
        # number. Objects whose making was not seen, such as literals and what is older than the
        # run, share the name of their class: a step that touches one depends on steps that touch
        # another one.
        # @api private
        class Names
          CLASS = ::Kernel.instance_method(:class)
          private_constant :CLASS

          def initialize
            @names = {}.compare_by_identity
            @made = Hash.new(0)
          end

          # @param object [Object] that a thread initializes
          # @param path [String] of the thread
          def made(object, path) = @names[object] ||= [path, @made[path] += 1]

          # @return [Object, nil] nil when the object never changes
          def of(object)
            known = @names[object] and return known
            case object
            when ::Module then [:module, object.name]
            else [:class, CLASS.bind_call(object).name] unless frozen?(object)
            end
          end

          private

          def frozen?(object) = ::Kernel.instance_method(:frozen?).bind_call(object)
        end
      end
    end
  end
end
