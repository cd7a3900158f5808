# frozen_string_literal: true

require_relative "object_parts"

module Raffia
  class Server
    module Ractors
      # Tells whether an object and all its parts are data that work as well frozen. Changes
      # nothing.
      #
      # @api private
      module PlainData
        # What freezing does to other classes only their C code knows.
        KINDS = [::String, ::Array, ::Hash, ::Struct, ::Data, ::Regexp, ::Range, ::Numeric].freeze

        class << self
          # @param object [Object]
          # @return [Boolean]
          def all?(object, seen = {}.compare_by_identity)
            return true if ::Ractor.shareable?(object) || seen.key?(object)

            seen[object] = true
            return BlockSharing.share(object) if object.is_a?(::Proc)
            return false unless kind?(object)

            ObjectParts.each(object) { |part,| return false unless all?(part, seen) }
            true
          end

          private

          def kind?(object)
            KINDS.any? { |kind| object.is_a?(kind) } ||
              (object.method(:freeze).owner == ::Kernel &&
                ::ObjectSpace.dump(object).include?('"type":"OBJECT"'))
          rescue ::NameError
            false
          end
        end
      end
    end
  end
end

require_relative "block_sharing"
