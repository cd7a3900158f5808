# frozen_string_literal: true

module Raffia
  module Jobs
    module Iteration
      # Enumerators of items and their cursors for common collections.
      module Enumerators
        # @param array [Array] the same at each run
        # @param cursor [Integer, nil] index of the last item
        # @return [Enumerator]
        def array_enumerator(array, cursor:)
          first = cursor ? cursor + 1 : 0
          Enumerator.new(array.size - first) do |steps|
            first.upto(array.size - 1) { |index| steps << [array[index], index] }
          end
        end

        # @param relation [ActiveRecord::Relation] in order of its primary key
        # @param cursor [Object, nil] key of the last record
        # @param batch [Integer] records in one query
        # @return [Enumerator] of records
        def records_enumerator(relation, cursor:, batch: 100)
          Enumerator.new do |steps|
            each_batch(relation, cursor, batch) do |records|
              records.each { |record| steps << [record, record.id] }
            end
          end
        end

        # @return [Enumerator] of Arrays of records
        def batches_enumerator(relation, cursor:, batch: 100)
          Enumerator.new do |steps|
            each_batch(relation, cursor, batch) { |records| steps << [records, records.last.id] }
          end
        end

        private

        def each_batch(relation, after, size)
          key = relation.arel_table[relation.primary_key]
          loop do
            rest = after.nil? ? relation : relation.where(key.gt(after))
            records = rest.reorder(key.asc).limit(size).to_a
            break if records.empty?

            yield records
            after = records.last.id
          end
        end
      end
    end
  end
end
