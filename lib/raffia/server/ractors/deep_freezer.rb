# frozen_string_literal: true

require "monitor"
require_relative "../../executor/ractors/portable_block"
require_relative "finding"
require_relative "refusal_text"

module Raffia
  class Server
    module Ractors
      # Makes objects shareable, like Ractor.make_shareable. Reports each object that cannot be,
      # with its path and a remedy.
      #
      # Ruby refuses blocks for their self and captured objects. Here captured objects are made
      # shareable first, and a copy without a self replaces the block.
      #
      # Objects stay frozen on failure, so a mere check belongs in a process of its own.
      #
      # @api private
      class DeepFreezer
        # Classes of objects that each Ractor needs for itself.
        OWN = [::Thread, ::Thread::Mutex, ::Monitor, ::Thread::Queue, ::Thread::ConditionVariable,
          ::Fiber, ::Enumerator, ::Binding].freeze
        BUILT = "Make it where it is used, or in a middleware's initialize, which each Ractor " \
          "calls for itself"

        attr_reader :findings

        def initialize
          @findings = []
          @seen = {}.compare_by_identity
        end

        # Returns the object, or a copy of a block; shareable unless there are findings.
        def share(object, path)
          return object if ::Ractor.shareable?(object)

          @seen.fetch(object) do
            @seen[object] = object # until it is known: it may be reached from within
            @seen[object] = shared(object, path)
          end
        end

        private

        def shared(object, path)
          case object
          when ::Proc then block(object, path)
          when ::IO
            refuse(object, path, "is an open file, which would be frozen with the rest, and " \
              "could not be used then", BUILT)
          when *OWN then refuse(object, path, "belongs to one Ractor", BUILT)
          when ::Method, ::UnboundMethod
            refuse(object, path, "is a Method, which no other Ractor may have", "Call it by name")
          else whole(object, path)
          end
        end

        # Parts first, so that a finding names the smallest one.
        def whole(object, path)
          before = @findings.size
          ObjectParts.each(object) do |part, label, replace|
            shareable = share(part, "#{path} > #{label}")
            replace.call(shareable) unless shareable.equal?(part)
          end
          (@findings.size == before) ? ::Ractor.make_shareable(object) : object
        rescue ::Ractor::Error, ::FrozenError, ::NoMethodError, ::TypeError,
          ::ArgumentError => error
          refuse(object, path, "cannot be made shareable (#{error.message.chomp(".")[0, 120]})",
            BUILT)
        end

        # A block with a shareable self, such as a class, stays.
        def block(block, path)
          return detached(block, path) unless Executor::Ractors::BlockCode.of(block)

          ::Ractor.make_shareable(block)
        rescue ::Ractor::IsolationError, ::ArgumentError
          detached(block, path)
        end

        def detached(block, path)
          tried = []
          before = @findings.size
          begin
            Executor::Ractors::PortableBlock.share(block)
          rescue NotShareable => error
            retry if captured(block, error.variable, tried, path)

            (@findings.size == before) ? refuse(block, path, *RefusalText.of(error)) : block
          end
        end

        # Returns whether a captured variable has become shareable.
        def captured(block, name, tried, path)
          if name.nil? || tried.include?(name) || !block.binding.local_variable_defined?(name)
            return false
          end

          tried << name
          value = block.binding.local_variable_get(name)
          shareable = share(value, "#{path} > its variable #{name}")
          return false unless ::Ractor.shareable?(shareable)

          block.binding.local_variable_set(name, shareable) unless shareable.equal?(value)
          true
        rescue ::NameError
          false # `self`, or a method's name
        end

        def refuse(object, path, why, remedy)
          kind = if object.is_a?(::Proc)
            ["block", *object.source_location&.join(":")].join(" at ")
          else
            object.class
          end
          @findings << Finding.new("#{path} (#{kind})", why, remedy)
          object
        end
      end
    end
  end
end

require_relative "object_parts"
