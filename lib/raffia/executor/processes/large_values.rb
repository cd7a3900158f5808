# frozen_string_literal: true

module Raffia
  module Executor
    module Processes
      # Replaces contents that are too long for a pipe by placeholders: Strings of
      # {Process::SharedMemoryPayloads::WORTH} bytes or more, and IO::Buffers, which Marshal does
      # not know.
      #
      # It looks into Arrays, the values of Hashes, and Structs, as far as that costs little.
      # Contents of other objects go through the pipe.
      class LargeValues
        # Stands for contents that travel in shared memory.
        #
        # content:: their number in the message; or themselves, when they could not be sent so
        # encoding:: name; nil for an IO::Buffer
        Placeholder = Struct.new(:content, :encoding)

        # Depth of the search. Items are three deep in a message of arguments.
        DEPTH = 5
        # Objects to look at in all. Where there are more, they are small.
        BUDGET = 1_024

        def initialize
          @left = BUDGET
        end

        def contents = @contents ||= []

        def placeholders = @placeholders ||= []

        # Allocates nothing, because nearly always there is none.
        def any?(value, depth = DEPTH)
          return false if (@left -= 1).negative?

          case value
          when ::Integer, ::Float, nil then false
          when ::String then long?(value)
          when ::Array then depth.positive? && value.any? { |element| any?(element, depth - 1) }
          when ::Hash
            depth.positive? && value.each_value.any? { |element| any?(element, depth - 1) }
          when ::Struct
            depth.positive? && plain?(value) && value.any? { |element| any?(element, depth - 1) }
          else ::IO::Buffer === value # it may be a BasicObject
          end
        end

        # The value with placeholders, as a copy.
        def strip(value, depth = DEPTH)
          case value
          when ::String
            (long?(value) && room?) ? placeholder(value, value.encoding.name) : value
          when ::IO::Buffer then room? ? placeholder(value, nil) : inline(value)
          when ::Array, ::Hash, ::Struct
            (depth.positive? && plain?(value)) ? copy(value, depth - 1) : value
          else value
          end
        end

        def inline(content, encoding = nil)
          content = content.get_string if content.is_a?(::IO::Buffer)
          Placeholder.new(content, encoding)
        end

        private

        def room? = contents.size < Process::SharedMemoryPayloads::MOST

        def long?(string)
          string.bytesize >= Process::SharedMemoryPayloads::WORTH &&
            string.instance_of?(::String) &&
            string.instance_variables.empty?
        end

        # Whether Marshal takes the value apart, and not its class.
        def plain?(value)
          !value.respond_to?(:marshal_dump, true) && !value.respond_to?(:_dump, true)
        end

        # An object that is in the value twice stays one object.
        def known = @known ||= {}.compare_by_identity

        def placeholder(content, encoding)
          known[content] ||= Placeholder.new(contents.size, encoding).tap do |placeholder|
            contents << content
            placeholders << placeholder
          end
        end

        def copy(container, depth)
          return known[container] if known.key?(container)

          copy = known[container] = container.dup
          case copy
          # also of keys that have changed since
          when ::Hash then copy.transform_values! { |value| strip(value, depth) }
          when ::Array then copy.map! { |value| strip(value, depth) }
          else copy.each_with_index { |value, index| copy[index] = strip(value, depth) }
          end
          copy
        end
      end
    end
  end
end
