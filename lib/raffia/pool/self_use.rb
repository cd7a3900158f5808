# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Pool
    # In a Ractor a block's +self+ is nil, so an instance variable would silently read as nil there, and a call of one's own
    # method would fail with a riddle. Both are found beforehand in the compiled block. Only its own lines are looked at, not
    # the blocks within: those may well run under another self, by instance_eval.
    #
    # @api private
    module SelfUse
      VARIABLE = /^\d+ [gs]etinstancevariable\s+:(@\w+)/
      CALL = /<calldata!mid:([^,]+), argc:\d+,.*?\bFCALL\b/

      class << self
        # @param block [Proc]
        # @return [String, nil] the instructions of the block's own body; nil when it is not written in Ruby, or this Ruby
        #   does not show them ("" then)
        def code(block)
          return "" unless defined?(::RubyVM::InstructionSequence)

          text = ::RubyVM::InstructionSequence.of(block)&.disasm or return
          text.split(/^== disasm:/, 3)[1]
        end

        # @param block [Proc]
        # @param code [String]
        # @raise [NotShareable]
        def check(block, code)
          name = code[VARIABLE, 1] || code.scan(CALL).flatten.find { |called| !nil.respond_to?(called, true) }
          return unless name

          where = block.source_location.join(":")
          raise NotShareable.new("the block at #{where} uses #{name} of #{brief(block.binding.receiver)}, which no other Ractor " \
            "may see: assign it to a local variable first, or call a method of a module, or run it on: :processes",
            variable: name.to_sym, location: where)
        end

        # @return [String] an object in a few words, without asking it
        def brief(object)
          object.is_a?(Module) ? object.name.to_s : "a #{object.class}"
        end
      end
    end
  end
end
