# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Executor
    module Ractors
      # In a Ractor a block's +self+ is nil, so an instance variable would silently read as nil
      # there, and a call of one's own method would fail with a riddle. Both are found beforehand in
      # the compiled block. Only its own lines are looked at, not the blocks within: those may well
      # run under another self, by instance_eval.
      #
      # @api private
      module SelfReferences
        class << self
          # @param block [Proc]
          # @param code [BlockCode]
          # @raise [NotShareable]
          def check(block, code)
            name = code.variables.first ||
              code.own_calls.find { |called| !nil.respond_to?(called, true) }
            return unless name

            where = block.source_location.join(":")
            raise NotShareable.new("the block at #{where} uses #{name} of " \
            "#{brief(block.binding.receiver)}, which no other Ractor " \
              "may see: assign it to a local variable first, or call a method of a module, or " \
              "run " \
              "it on: :processes",
              variable: name.to_sym, location: where)
          end

          # @return [String] an object in a few words, without asking it
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
