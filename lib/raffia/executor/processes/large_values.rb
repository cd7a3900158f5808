# frozen_string_literal: true

require_relative "../../process/shared_memory_payloads"

module Raffia
  module Executor
    module Processes
      # Finds what is too long for a pipe inside of a value, and puts slips in its places: Strings of
      # {Process::SharedMemoryPayloads::WORTH} bytes or more, and IO::Buffers of any length, because Marshal does
      # not know them.
      #
      # It looks into Arrays, the values of Hashes, and Structs, as far as that costs little. One that
      # is elsewhere, in an object of another class for example, goes through the pipe with the rest.
      #
      # @api private
      class LargeValues
        # In place of what travels as a parcel.
        #
        # content:: its number in the message; or itself, when it could not be sent so
        # encoding:: its name; nil for an IO::Buffer
        Slip = Struct.new(:content, :encoding)

        # How deep it is looked. The items are three deep, in a chunk of arguments.
        DEPTH = 5
        # How many objects are looked at in all. Where there are more, they are small ones.
        PATIENCE = 1_024

        def initialize
          @left = PATIENCE
        end

        # @return [Array<String, IO::Buffer>] what was found
        def contents = @contents ||= []

        # @return [Array<Slip>] in the same order
        def slips = @slips ||= []

        # Whether a search pays: nearly always there is nothing, so this looks before anything is made
        # or copied.
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

        # @return [Object] the value with slips; the value itself is not touched
        def strip(value, depth = DEPTH)
          case value
          when ::String then (long?(value) && room?) ? slip(value, value.encoding.name) : value
          when ::IO::Buffer then room? ? slip(value, nil) : inline(value)
          when ::Array, ::Hash, ::Struct
            (depth.positive? && plain?(value)) ? copy(value, depth - 1) : value
          else value
          end
        end

        # What a slip says that brings its content with it.
        # @return [Slip]
        def inline(content, encoding = nil)
          content = content.get_string if content.is_a?(::IO::Buffer)
          Slip.new(content, encoding)
        end

        private

        def room? = contents.size < Process::SharedMemoryPayloads::MOST

        def long?(string)
          string.bytesize >= Process::SharedMemoryPayloads::WORTH && string.instance_of?(::String) &&
            string.instance_variables.empty?
        end

        # Whether Marshal takes it apart, and not the class itself.
        def plain?(value)
          !value.respond_to?(:marshal_dump, true) && !value.respond_to?(:_dump, true)
        end

        # What is in the value twice stays one object.
        def known = @known ||= {}.compare_by_identity

        def slip(content, encoding)
          known[content] ||= Slip.new(contents.size, encoding).tap do |slip|
            contents << content
            slips << slip
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
