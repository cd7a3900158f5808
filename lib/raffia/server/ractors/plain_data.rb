# frozen_string_literal: true

require_relative "../../executor/ractors/portable_block"
require_relative "object_parts"

module Raffia
  class Server
    module Ractors
      # Objects of gems that work frozen, and blocks that capture only such objects.
      #
      # @api private
      module PlainData
        # C code of other classes may depend on not being frozen.
        KINDS = [::String, ::Array, ::Hash, ::Struct, ::Data, ::Regexp, ::Range, ::Numeric].freeze

        class << self
          def all?(object, seen = {}.compare_by_identity)
            return true if ::Ractor.shareable?(object) || seen.key?(object)

            seen[object] = true
            return share(object) if object.is_a?(::Proc)
            return false unless kind?(object)

            ObjectParts.each(object) { |part,| return false unless all?(part, seen) }
            true
          end

          # Freezes captured plain data, then makes the block shareable. Returns whether it is.
          def share(block)
            tried = []
            begin
              ::Ractor.make_shareable(block)
              true
            rescue ::Ractor::IsolationError, ::ArgumentError => error
              name = Executor::Ractors::PortableBlock.refusal(block, error).variable
              fresh = name && !tried.include?(name)
              tried << name
              (fresh && freeze_captured(block, name)) ? retry : false
            end
          end

          private

          def kind?(object)
            KINDS.any? { |kind| object.is_a?(kind) } ||
              (object.method(:freeze).owner == ::Kernel &&
                ::ObjectSpace.dump(object).include?('"type":"OBJECT"'))
          rescue ::NameError
            false
          end

          def freeze_captured(block, name)
            value = block.binding.local_variable_get(name)
            return false if ::Ractor.shareable?(value) || !all?(value)

            ::Ractor.make_shareable(value)
            true
          rescue ::NameError, ::ArgumentError, ::Ractor::Error
            false # it is no variable, or is assigned to
          end
        end
      end
    end
  end
end
