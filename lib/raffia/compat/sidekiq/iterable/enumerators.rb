# frozen_string_literal: true

module Sidekiq
  module Job
    module Iterable
      # Enumerators of objects and their cursors for common collections.
      module Enumerators
        # @param array [Array] the same at each run
        # @param cursor [Integer, nil] index
        # @return [Enumerator]
        # @raise [ArgumentError]
        def array_enumerator(array, cursor:)
          raise ArgumentError, "array must be an Array" unless array.is_a?(Array)

          numbered(array, cursor) { array.size - cursor.to_i }
        end

        # @param relation [ActiveRecord::Relation]
        # @param cursor [Object, nil] primary key
        # @param options [Hash] of `find_each`
        # @return [Enumerator]
        def active_record_records_enumerator(relation, cursor:, **options)
          Enumerator.new(-> { relation.count }) do |steps|
            relation.find_each(**options, start: cursor) { |record| steps.yield(record, record.id) }
          end
        end

        # @param options [Hash] of `find_in_batches`
        # @return [Enumerator] of arrays of records
        def active_record_batches_enumerator(relation, cursor:, **options)
          Enumerator.new(-> { relation.count }) do |steps|
            relation.find_in_batches(**options, start: cursor) do |records|
              steps.yield(records, records.first.id)
            end
          end
        end

        # @param batch_size [Integer]
        # @param options [Hash] of `in_batches`
        # @return [Enumerator] of relations
        def active_record_relations_enumerator(relation, cursor:, batch_size: 1000, **options)
          Enumerator.new(-> { relation.count.ceildiv(batch_size) }) do |steps|
            relation.in_batches(**options, of: batch_size, start: cursor) do |part|
              steps.yield(part, part.first.id)
            end
          end
        end

        # @param csv [CSV] at its beginning
        # @param cursor [Integer, nil] number of the row
        # @return [Enumerator] of rows
        # @raise [ArgumentError]
        def csv_enumerator(csv, cursor:) = numbered(opened(csv).lazy, cursor) { rows(csv) }

        # @param batch_size [Integer]
        # @return [Enumerator] of arrays of rows
        # @raise [ArgumentError]
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

        # Called only if the size is asked for; nil if it is no file.
        def rows(csv) = (::File.foreach(csv.path).count - (csv.headers ? 1 : 0) if csv.path)
      end
    end
  end
end
