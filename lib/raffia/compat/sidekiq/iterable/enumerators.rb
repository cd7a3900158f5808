# frozen_string_literal: true

module Sidekiq
  module Job
    module Iterable
      # Enumerators of objects and their cursors for common collections.
      module Enumerators
        # The array has to be the same at each run; the cursor is an index.
        def array_enumerator(array, cursor:)
          raise ArgumentError, "array must be an Array" unless array.is_a?(Array)

          numbered(array, cursor) { array.size - cursor.to_i }
        end

        # The cursor of all enumerators of records is a primary key; options are those of
        # `find_each`.
        def active_record_records_enumerator(relation, cursor:, **options)
          Enumerator.new(-> { relation.count }) do |steps|
            relation.find_each(**options, start: cursor) { |record| steps.yield(record, record.id) }
          end
        end

        # Gives arrays of records, with options of `find_in_batches`.
        def active_record_batches_enumerator(relation, cursor:, **options)
          Enumerator.new(-> { relation.count }) do |steps|
            relation.find_in_batches(**options, start: cursor) do |records|
              steps.yield(records, records.first.id)
            end
          end
        end

        # Gives relations, with options of `in_batches`.
        def active_record_relations_enumerator(relation, cursor:, batch_size: 1000, **options)
          Enumerator.new(-> { relation.count.ceildiv(batch_size) }) do |steps|
            relation.in_batches(**options, of: batch_size, start: cursor) do |part|
              steps.yield(part, part.first.id)
            end
          end
        end

        # Gives rows of a CSV at its beginning; the cursor is the number of the row.
        def csv_enumerator(csv, cursor:) = numbered(opened(csv).lazy, cursor) { rows(csv) }

        # Gives arrays of rows.
        def csv_batches_enumerator(csv, cursor:, batch_size: 100)
          numbered(opened(csv).lazy.each_slice(batch_size), cursor) do
            rows(csv)&.ceildiv(batch_size)
          end
        end

        private

        def numbered(objects, cursor, &)
          objects.each_with_index.drop(cursor || 0).to_enum(:each, &)
        end

        def opened(csv)
          return csv if defined?(::CSV) && csv.instance_of?(::CSV)

          raise ArgumentError, "csv must be a CSV, such as CSV.open(path), and is #{csv.class}"
        end

        # Number of rows, nil when the CSV is no file.
        def rows(csv) = (::File.foreach(csv.path).count - (csv.headers ? 1 : 0) if csv.path)
      end
    end
  end
end
