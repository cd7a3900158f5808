# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # An INSERT of many rows. It has few texts, because databases keep prepared statements.
        # @api private
        class RowsStatement
          # Rows of a statement.
          SIZES = [100, 10, 1].freeze
          # Bytes after which a statement gets no more rows; a server takes 16 MiB or more.
          MOST = 1024 * 1024

          # `head` ends before VALUES; `row` has parameters from $1 on; `tail` follows the rows.
          def initialize(head, row, tail = nil)
            params = row.scan(/\$(\d+)/).flatten.map(&:to_i).max
            @texts = SIZES.to_h do |size|
              rows = Array.new(size) do |index|
                row.gsub(/\$(\d+)/) { "$#{$1.to_i + index * params}" }
              end
              [size, "#{head} VALUES #{rows.join(", ")} #{tail}".rstrip.freeze]
            end.freeze
          end

          def run(db, rows)
            small_parts(rows).each do |part|
              SIZES.each do |size|
                db.run(@texts[size], *part.shift(size).flatten(1)) while part.size >= size
              end
            end
          end

          private

          def small_parts(rows)
            bytes = 0
            rows.slice_when do |row, _|
              bytes += row.sum { |value| value.is_a?(String) ? value.bytesize : 0 }
              (bytes >= MOST).tap { |full| bytes = 0 if full }
            end
          end
        end
      end
    end
  end
end
