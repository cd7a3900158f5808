# frozen_string_literal: true

require_relative "../../base/error"
require_relative "block_code"
require_relative "outer_references"
require_relative "adapter"
require_relative "self_references"

module Raffia
  module Executor
    module Ractors
      # Gets a user's block into Ractors, or says why it cannot go there.
      #
      # A living Ractor takes only a shareable Proc, and that needs a shareable +self+. So the
      # extension makes a copy of the block whose +self+ is nil; Ruby then checks the variables that
      # it captures. Without the extension the block goes to a new Ractor for each item, where it
      # may capture nothing.
      module PortableBlock
        class << self
          def available? = !Adapter.detach(proc {}).nil?

          # A shareable Proc; nil when the block can only go to a Ractor per item. Raises
          # NotShareable, which names the variable in the way.
          def share(block)
            check(block)
            return block if ::Ractor.shareable?(block)
            return ::Ractor.make_shareable(block) unless BlockCode.of(block)

            copy = Adapter.detach(block)
            ::Ractor.make_shareable(copy) if copy
          rescue ::Ractor::IsolationError, ArgumentError => error
            raise refusal(block, error)
          end

          # Checks that Ruby does not make, or makes too late. Raises NotShareable.
          def check(block)
            code = BlockCode.of(block) or return check_method(block)
            SelfReferences.check(block, code) unless ::Ractor.shareable?(block)
            OuterReferences.check(block, code)
          end

          # Why the block could not go to a Ractor, and the remedy; nil when no reason is known. The
          # block is not run; constants that it names may be autoloaded.
          def obstacle(block)
            share(block)
            nil
          rescue NotShareable => error
            error.message
          end

          def refusal(block, error)
            name = error.message[/variables? \(([^)]+)\)/, 1] ||
              error.message[/variable [`'](\w+)'/, 1]
            name ||= "yield" if error.message.include?("yield")
            NotShareable.new("the block at #{location(block)} cannot run in another Ractor: it " \
              "uses #{name || "what no other Ractor may see"} (#{error.message.chomp(".")}). " \
              "#{advice(error.message, name)}, or run it on: :processes",
              variable: name&.to_sym, location: location(block))
          end

          private

          # Blocks of a Symbol are harmless; those of a Method bring its receiver, unchecked by
          # Ruby.
          def check_method(block)
            receiver = receiver(block)
            return OuterReferences.check_method(block, receiver) if receiver.is_a?(Module)
            return if ::Ractor.shareable?(receiver)

            raise NotShareable.new("a method of #{SelfReferences.brief(receiver)} cannot run in " \
              "another Ractor, which may not see its receiver: make it a method of a module, as " \
              "in &Work.method(:call), or run it on: :processes",
              variable: :self, location: location(block))
          end

          def receiver(block)
            block.binding.receiver
          rescue ArgumentError
            nil
          end

          def advice(message, name)
            case message
            when /isolate/ then "Hand it in as part of the items"
            when /accesses outer/
              "Return a value instead of assigning to #{name}, hand it in as part of the items"
            when /yield/ then "Take the block as a parameter, make it shareable and call it"
            else "Freeze it with Ractor.make_shareable(#{name}) first, hand it in as part of the " \
              "items"
            end
          end

          def location(block) = block.source_location&.join(":")
        end
      end
    end
  end
end
