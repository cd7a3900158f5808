# frozen_string_literal: true

require "json"
require "securerandom"
require "time"
require_relative "database"
require_relative "source"
require_relative "table_source/staging_table"

module Raffia
  module Jobs
    class Import
      # Jobs in tables of a database. A subclass says which, by {sections}.
      #
      # A batch moves to the table raffia_import, in the transaction that deletes it from the other
      # gem's tables. So workers of that gem may go on, and an import may be killed. The empty table
      # stays: another import may be using it.
      # @api private
      class TableSource < Source
        # Rows to take: columns by name, the rest of a SELECT after them, and the id's column.
        Section = Data.define(:name, :columns, :from, :where, :order, :id) do
          def select(more = nil)
            "SELECT #{columns.values.join(", ")} FROM #{from} WHERE #{[where, *more].join(" AND ")}"
          end
        end

        def initialize(url)
          super()
          @database = Database.open(url)
          @staging = StagingTable.new(@database)
          @database.check_table(self.class::TABLE)
        rescue Raffia::Error
          @database&.close
          raise
        end

        def url = @database.url

        def counts
          counts = {**sections.to_h { |one| [one.name, count(one)] }, **running}
          aside = @staging.count
          aside.zero? ? counts : {**counts, "taken before" => aside}
        end

        def each_page(size)
          @staging.each_page { |records| yield records }
          sections.each do |section|
            last = nil
            until (rows = page(section, last, size)).empty?
              yield rows.map { |row| record(section, row) }
              last = rows.last[section.columns.keys.index("id")]
            end
          end
        end

        def take(size)
          batch = @staging.first and return batch

          @staging.create
          sections.each do |section|
            found = @database.transaction { move(section, size) } and return found
          end
          nil
        end

        def delete(batch) = @staging.delete(batch)

        def close = @database.close

        private

        # Counts of what is not taken.
        def running = {}

        def count(section)
          @database.value("SELECT COUNT(*) FROM #{section.from} WHERE #{section.where}").to_i
        end

        def page(section, last, size)
          after = "#{section.id} > ?" if last
          @database.rows("#{section.select(after)} ORDER BY #{section.id} LIMIT #{size}",
            *(last if after))
        end

        def move(section, size)
          rows = locked(section, size)
          return if rows.empty?

          records = rows.map { |row| record(section, row) }
          batch = Batch.new(id: SecureRandom.hex(12), records:)
          @staging.add(batch)
          remove(records)
          batch
        end

        def locked(section, size)
          @database.rows("#{section.select} ORDER BY #{section.order} LIMIT #{size}" \
            "#{@database.lock}")
        end

        def record(section, row)
          {"section" => section.name, **section.columns.keys.zip(row).to_h.compact}
        end

        # Seconds since 1970 of a time in UTC, as all drivers give it.
        def time(text) = text && Time.iso8601("#{text[0, 10]}T#{text[11..].delete_suffix("+00")}Z")

        def seconds(text) = time(text)&.to_f

        def milliseconds(text) = (time = time(text)) && (time.to_f * 1000).round
      end
    end
  end
end
