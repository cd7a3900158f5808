# frozen_string_literal: true

module Raffia
  module Jobs
    class Import
      class TableSource < Source
        # The table of batches that an import has taken, and not yet deleted.
        # @api private
        class StagingTable
          TABLE = "raffia_import"
          # Bytes of one INSERT, well below MySQL's max_allowed_packet.
          BYTES = 1024 * 1024
          private_constant :TABLE, :BYTES

          def initialize(database)
            @database = database
          end

          def create
            @database.rows("CREATE TABLE IF NOT EXISTS #{TABLE} (batch VARCHAR(32) NOT NULL, " \
              "place INTEGER NOT NULL, data #{@database.text} NOT NULL, " \
              "PRIMARY KEY (batch, place))")
          end

          def count
            @database.table?(TABLE) ? @database.value("SELECT COUNT(*) FROM #{TABLE}").to_i : 0
          end

          # The batch of an import that was killed, nil: there is none.
          def first
            return unless @database.table?(TABLE)

            id = @database.value("SELECT MIN(batch) FROM #{TABLE}") and batch(id)
          end

          def each_page
            return unless @database.table?(TABLE)

            @database.rows("SELECT DISTINCT batch FROM #{TABLE}").each do |(id)|
              yield batch(id).records
            end
          end

          def add(batch)
            size = 0
            batch.records.each_with_index.map { |record, place| [place, dump(record)] }
              .chunk { |_, data| (size += data.bytesize) / BYTES }
              .each { |_, rows| insert(batch.id, rows) }
          end

          def delete(batch)
            @database.rows("DELETE FROM #{TABLE} WHERE batch = ?", batch.id)
          end

          private

          def batch(id)
            rows = @database.rows("SELECT data FROM #{TABLE} WHERE batch = ? ORDER BY place", id)
            Batch.new(id:, records: rows.map { |(data)| load(data) })
          end

          def insert(id, rows)
            @database.rows("INSERT INTO #{TABLE} (batch, place, data) VALUES " \
              "#{(["(?, ?, ?)"] * rows.size).join(", ")}",
              *rows.flat_map { |place, data| [id, place, data] })
          end

          # Text that is not in UTF-8 goes as Base64.
          def dump(record)
            JSON.generate(record.transform_values { |value|
              next value unless value.is_a?(String)

              text = value.dup.force_encoding(Encoding::UTF_8)
              text.valid_encoding? ? text : {"base64" => [value].pack("m0")}
            })
          end

          def load(data)
            JSON.parse(data).transform_values { |value|
              value.is_a?(Hash) ? value["base64"].unpack1("m0") : value
            }
          end
        end
      end
    end
  end
end
