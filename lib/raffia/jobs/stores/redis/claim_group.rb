# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Claims of one call from one queue. The field of a job in the hash `raffia:claims:TOKEN` is
        # "NAME.NUMBER QUEUE"; later calls have higher names.
        # @api private
        class ClaimGroup
          # A claim, by its number.
          class Claim < Jobs::Claim
            attr_reader :group
            # Run and number of steps that this worker has read of its flow.
            attr_accessor :read

            def initialize(group, number, payload)
              @group = group
              super(group.lease, number, group.queue, payload)
            end

            def key = [@group.name.to_i, @ref]

            # Another payload was written to its field.
            def payload=(payload)
              @payload = payload
              @item = nil
            end

            # Its field in the hash.
            def field = "#{@group.name}.#{@ref} #{@group.queue}"
          end

          # Numbers packed in one String.
          NUMBERS = "L<*"

          # These sort in the order of claims.
          def self.parse(field)
            name, number, queue = field.split(/[. ]/, 3)
            [name.to_i, number.to_i, queue]
          end

          attr_reader :lease
          attr_reader :name, :queue

          def initialize(lease, name, queue)
            @lease = lease
            @name = name
            @queue = queue
          end

          # `lengths` are those of payloads in bytes, `bytes` all payloads.
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
