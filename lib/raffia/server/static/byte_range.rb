# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # The part of a file that was asked for.
      #
      # @!attribute [r] from
      #   @return [Integer] bytes
      # @!attribute [r] size
      #   @return [Integer] bytes; 0: the file has nothing there
      # @api private
      ByteRange = Data.define(:from, :size) do
        # Several ranges at once are not worth their multipart: a server may send everything, and so
        # does this one. So it is with what is no range.
        # @return [ByteRange, nil] nil: everything
        def self.of(env, choice)
          range = env["HTTP_RANGE"]
          return unless range && env["REQUEST_METHOD"] == "GET"

          match = /\Abytes=(?:(\d+)-(\d*)|-(\d+))\z/i.match(range.strip) or return
          condition = env["HTTP_IF_RANGE"]
          return if condition && !choice.same?(condition.strip)

          if match[3]
            last(match[3].to_i, choice.size)
          else
            between(match[1].to_i, match[2], choice.size)
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
