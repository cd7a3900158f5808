# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../reply"

module Raffia
  module Executor
    module Ractors
      # Turns Ruby's errors about a block that used something of the main Ractor, which
      # {OuterReferences} did not find, into a NotShareable that names it.
      module IsolationViolation
        # Messages of Ruby 3.3 and 3.4, and advice. The first group of each is the name, where Ruby
        # gives it.
        ADVICE = {
          /constant ([\w:]+)/ => "Freeze it where it is defined, with Ractor.make_shareable",
          /global variables? (\S+)/ => "Assign it to a local variable before the call",
          /class variables/ => "Assign it to a local variable before the call, or make it a " \
            "frozen constant",
          /instance variables/ => "Make it a frozen constant, or a local variable",
          /un-shareable Proc/ => "Define the method with def instead of define_method",
          /unsafe method/ => "Its C extension has not declared itself safe for Ractors"
        }.freeze

        class << self
          # Returns the reply, in which Ruby's errors of that kind are ours.
          def explain(reply, block)
            explain_failure(reply.failure, block) if reply.failure
            if Reply::Outcomes === reply.value
              reply.value.failures&.each_value { |failure| explain_failure(failure, block) }
            end
            reply
          end

          private

          def explain_failure(failure, block)
            error = failure.value
            failure.value = ours(error, block) if failure.kind == :error && trespass?(error)
          end

          def trespass?(error)
            error.is_a?(::Ractor::IsolationError) || error.is_a?(::Ractor::UnsafeError) ||
              (error.instance_of?(::RuntimeError) && error.message.include?("un-shareable Proc"))
          end

          def ours(error, block)
            words, advice = ADVICE.find { |pattern, _| pattern.match?(error.message) }
            name = words && error.message[words, 1]&.chomp(".")
            location = block.source_location&.join(":")
            raise NotShareable.new("the block at #{location} used " \
            "#{name || "what no other Ractor may see"} in a Ractor " \
              "(#{error.message.chomp(".")}). #{advice || "Hand it in as part of the items"}, or " \
              "run it on: :processes",
              variable: name&.to_sym, location: location), cause: error
          rescue NotShareable => ours
            ours
          end
        end
      end
    end
  end
end
