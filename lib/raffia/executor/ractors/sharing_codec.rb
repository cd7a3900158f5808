# frozen_string_literal: true

require_relative "../processes/payload_codec"
require_relative "object_transfer"

module Raffia
  module Executor
    module Ractors
      # Dumps like Marshal, but passes deeply frozen objects on uncopied: they are put into a
      # mailbox, and the frame says where. When that is full they are copied, too.
      class SharingCodec
        # Stands in the frame for an object in the mailbox.
        Placeholder = Struct.new(:place)
        # Other frames begin with the number 4, or a P.
        MARK = "L"
        # Levels that are searched: an argument is in the arguments of the request.
        DEPTH = 2
        # Longer collections are not searched.
        MANY = 64
        HEADER = "aQ"
        HEADER_SIZE = 9
        private_constant :MARK, :DEPTH, :MANY, :HEADER, :HEADER_SIZE

        # One for each direction.
        def self.mailboxes = Array.new(2) { ObjectTransfer.mailbox }

        # This side leaves objects in the first mailbox, and finds the other's in the second.
        def initialize(out, into)
          @out = out
          @into = into
          @plain = Processes::PayloadCodec.new(nil)
        end

        def dump(value) = share(value) || @plain.dump(value)

        def load(frame)
          return @plain.load(frame) unless frame.start_with?(MARK)

          shared = @into.take(frame.unpack(HEADER).last)
          put_back(@plain.load(frame.byteslice(HEADER_SIZE..)), DEPTH, shared)
        end

        private

        # Returns nil when it is to be copied.
        def share(value)
          return unless @out && any?(value, DEPTH)

          shared = []
          # First, so that nothing has been left when it fails.
          frame = @plain.dump(strip(value, DEPTH, shared))
          number = @out.put(shared.freeze) and [MARK, number].pack(HEADER) << frame
        end

        def any?(value, depth)
          return true if shared?(value)
          return false unless search?(value, depth)

          (value.is_a?(::Hash) ? value.values : value).any? { |element| any?(element, depth - 1) }
        end

        def strip(value, depth, shared)
          if shared?(value)
            Placeholder.new((shared << value).size - 1)
          else
            inside(value, depth) { |element| strip(element, depth - 1, shared) }
          end
        end

        def put_back(value, depth, shared)
          if Placeholder === value
            shared[value.place]
          else
            inside(value, depth) { |element| put_back(element, depth - 1, shared) }
          end
        end

        def inside(value, depth, &)
          return value unless search?(value, depth)

          value.is_a?(::Hash) ? value.transform_values(&) : value.map(&)
        end

        # A default of a Hash would be lost.
        def search?(value, depth)
          return false unless depth.positive?

          (value.instance_of?(::Array) ||
            (value.instance_of?(::Hash) && value.default.nil? && value.default_proc.nil?)) &&
            value.size <= MANY
        end

        def shared?(value)
          worth = case value
          when ::Array, ::Hash then value.frozen? && !value.empty?
          when ::Struct, ::Data then value.frozen?
          when ::String
            value.frozen? && value.bytesize >= ObjectTransfer::LONG
          end
          worth && ::Ractor.shareable?(value)
        end
      end
    end
  end
end
