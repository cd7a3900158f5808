# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Executor
    module Ractors
      # Finds uses of a block's +self+, which is nil in a Ractor: an instance variable would
      # silently be nil, and a call of an own method would fail. Inner blocks may run under another
      # self, by instance_eval, and are not searched.
      module SelfReferences
        class << self
          def check(block, code)
            name = code.variables.first ||
              code.own_calls.find { |called| !nil.respond_to?(called, true) }
            return unless name

            where = block.source_location.join(":")
            raise NotShareable.new("the block at #{where} uses #{name} of " \
              "#{brief(block.binding.receiver)}, which no other Ractor may see: assign it to a " \
              "local variable first, or call a method of a module, or run it on: :processes",
              variable: name.to_sym, location: where)
          end

          def brief(object)
            return object.name.to_s if object.is_a?(Module)

            name = object.class.to_s
            name.start_with?(/[AEIOU]/) ? "an #{name}" : "a #{name}"
          end
        end
      end
    end
  end
end
