# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What one call has claimed from one queue. In the hash `raffia:claims:TOKEN` each job's
        # field is "NAME.NUMBER QUEUE", where NAME is of the call, and grows.
        class Taken
          # A job of it; its ref is its number.
          class Claim < Jobs::Claim
            # @return [Taken]
            attr_reader :taken

            def initialize(taken, number, payload)
              @taken = taken
              super(taken.lease, number, taken.queue, payload)
            end

            # (see Jobs::Claim#key)
            def key = [@taken.name.to_i, @ref]
          end

          # How numbers travel: one String for all of them costs less to send than one for each.
          NUMBERS = "L<*"

          # @param field [String]
          # @return [Array(Integer, Integer, String)] in this order claims were made; the queue is
          #   last
          def self.read(field)
            name, number, queue = field.split(/[. ]/, 3)
            [name.to_i, number.to_i, queue]
          end

          # @return [Lease]
          attr_reader :lease
          # @return [String]
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
            whole = bytes.encoding == Encoding::UTF_8
            lengths.unpack(NUMBERS).each_with_index.map do |length, index|
              payload = bytes.byteslice(from, length)
              from += length
              Claim.new(self, first + index, whole ? payload : text(payload))
            end
          end

          private

          # One that is no text makes bytes of all.
          def text(payload)
            payload.force_encoding(Encoding::UTF_8)
            payload.valid_encoding? ? payload : payload.b
          end
        end
      end
    end
  end
end
