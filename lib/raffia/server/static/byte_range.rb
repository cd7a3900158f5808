# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # The requested part of a file, in bytes. Size 0: the file has no such part.
      #
      # @api private
      ByteRange = Data.define(:from, :size) do
        # Nil: the whole file, also for several or invalid ranges, as RFC 9110 allows.
        def self.of(env, representation)
          range = env["HTTP_RANGE"]
          return unless range && env["REQUEST_METHOD"] == "GET"

          match = /\Abytes=(?:(\d+)-(\d*)|-(\d+))\z/i.match(range.strip) or return
          condition = env["HTTP_IF_RANGE"]
          return if condition && !representation.same?(condition.strip)

          if match[3]
            last(match[3].to_i, representation.size)
          else
            between(match[1].to_i, match[2], representation.size)
          end
        end

        def self.last(count, total)
          count = [count, total].min
          new(total - count, count)
        end

        def self.between(first, last, total)
          last = last.empty? ? total - 1 : last.to_i
          return if last < first && first < total

          new(first, [[last, total - 1].min - first + 1, 0].max)
        end

        def empty? = size.zero?
      end
    end
  end
end
