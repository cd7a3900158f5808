# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Ractors
        # As Marshal, for the way to and from a Ractor: what is deeply frozen is not copied. It is
        # left in a tray, for the other side to take as it is; the frame says where. When the tray
        # is full it is copied like all else.
        #
        # @api private
        class Lending
          # In place of what is left in the tray.
          Slip = Struct.new(:place)
          # Other frames begin with the number 4, or a P.
          MARK = "L"
          # How deep it is looked: an argument is an element of the arguments, and these are part of
          # the question.
          DEPTH = 2
          # It is not looked into what is longer.
          MANY = 64
          HEADER = "aQ"
          HEADER_SIZE = 9
          private_constant :MARK, :DEPTH, :MANY, :HEADER, :HEADER_SIZE

          # @return [Array] one for each direction
          def self.trays = Array.new(2) { Executor::Ractors::ObjectTransfer.tray }

          # @param out [#put, nil] where this side leaves things
          # @param into [#take, nil] where it finds the other's
          def initialize(out, into)
            @out = out
            @into = into
            @plain = Executor::Processes::PayloadCodec.new(nil)
          end

          # @return [String]
          # @raise [TypeError] as Marshal does
          def dump(value) = lend(value) || @plain.dump(value)

          # @param frame [String]
          def load(frame)
            return @plain.load(frame) unless frame.start_with?(MARK)

            lent = @into.take(frame.unpack(HEADER).last)
            put_back(@plain.load(frame.byteslice(HEADER_SIZE..)), DEPTH, lent)
          end

          private

          # @return [String, nil] nil when it is to be copied
          def lend(value)
            return unless @out && any?(value, DEPTH)

            lent = []
            # First, so that nothing has been left when it fails.
            frame = @plain.dump(strip(value, DEPTH, lent))
            number = @out.put(lent.freeze) and [MARK, number].pack(HEADER) << frame
          end

          def any?(value, depth)
            return true if lent?(value)
            return false unless look?(value, depth)

            (value.is_a?(::Hash) ? value.values : value).any? { |element| any?(element, depth - 1) }
          end

          def strip(value, depth, lent)
            if lent?(value)
              Slip.new((lent << value).size - 1)
            else
              inside(value, depth) { |element| strip(element, depth - 1, lent) }
            end
          end

          def put_back(value, depth, lent)
            if Slip === value
              lent[value.place]
            else
              inside(value, depth) { |element| put_back(element, depth - 1, lent) }
            end
          end

          def inside(value, depth, &)
            return value unless look?(value, depth)

            value.is_a?(::Hash) ? value.transform_values(&) : value.map(&)
          end

          # What a Hash says of keys that it does not have would be lost.
          def look?(value, depth)
            return false unless depth.positive?

            (value.instance_of?(::Array) ||
              (value.instance_of?(::Hash) && value.default.nil? && value.default_proc.nil?)) &&
              value.size <= MANY
          end

          def lent?(value)
            worth = case value
            when ::Array, ::Hash then value.frozen? && !value.empty?
            when ::Struct, ::Data then value.frozen?
            when ::String then value.frozen? && value.bytesize >= Executor::Ractors::ObjectTransfer::LONG
            end
            worth && ::Ractor.shareable?(value)
          end
        end
      end
    end
  end
end
