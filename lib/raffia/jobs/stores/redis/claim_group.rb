# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Claims of one call from one queue. In the hash `raffia:claims:TOKEN` each job's field is
        # "NAME.NUMBER QUEUE"; NAME is the call's, and grows.
        #
        # @api private
        class ClaimGroup
          # A claim; its ref is its number.
          class Claim < Jobs::Claim
            # @return [ClaimGroup]
            attr_reader :group

            def initialize(group, number, payload)
              @group = group
              super(group.lease, number, group.queue, payload)
            end

            # (see Jobs::Claim#key)
            def key = [@group.name.to_i, @ref]
          end

          # Numbers in one String: shorter than one for each.
          NUMBERS = "L<*"

          # @param field [String]
          # @return [Array(Integer, Integer, String)] name, number, queue; sorts in the order of
          #   claims
          def self.read(field)
            name, number, queue = field.split(/[. ]/, 3)
            [name.to_i, number.to_i, queue]
          end

          # @return [Lease]
          attr_reader :lease
          attr_reader :name, :queue

          def initialize(lease, name, queue)
            @lease = lease
            @name = name
            @queue = queue
          end

          # @param first [Integer] number
          # @param lengths [String] of the payloads, in bytes
          # @param bytes [String] all of them
          # @return [Array<Claim>]
          def claims(first, lengths, bytes)
            from = 0
            utf8 = bytes.encoding == Encoding::UTF_8
            lengths.unpack(NUMBERS).each_with_index.map do |length, index|
              payload = bytes.byteslice(from, length)
              from += length
              Claim.new(self, first + index, utf8 ? payload : text(payload))
            end
          end

          private

          # One payload that is not UTF-8 makes all of them bytes.
          def text(payload)
            payload.force_encoding(Encoding::UTF_8)
            payload.valid_encoding? ? payload : payload.b
          end
        end
      end
    end
  end
end
