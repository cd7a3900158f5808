# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # The size of a value on its way to another process.
      #
      # bytes:: at least; nil when it cannot be dumped
      # seconds:: that the dump takes
      # refusal:: why it cannot be dumped
      Sample = Data.define(:bytes, :seconds, :refusal) do
        def self.of(value, what, count = 1)
          counter = self::ByteCounter.new
          _, seconds = Clock.measure { catch(counter) { Marshal.dump(value, counter) } }
          seconds = 0.0 if counter.bytes <= self::SMALL
          new((counter.bytes.to_f / count).ceil, seconds / count, nil)
        rescue => error
          new(nil, 0.0, "#{what} cannot be dumped by Marshal (#{error.message})")
        end
      end

      class Sample
        # So few bytes take no time of their own.
        SMALL = 1_000

        # Counts what is written, up to a bound.
        class ByteCounter
          MOST = 8_000_000

          attr_reader :bytes

          def initialize = @bytes = 0

          def write(string)
            @bytes += string.bytesize
            throw(self) if @bytes > MOST
            string.bytesize
          end

          def binmode = self
        end
      end
    end
  end
end
