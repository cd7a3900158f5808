# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # What statements of {SQL} are run on: a connection that knows our words.
        # @api private
        class Session
          # @param driver [Driver]
          # @param words [Words]
          def initialize(driver, words)
            @driver = driver
            @words = words
          end

          # @return [Driver]
          attr_reader :driver

          # @return [Array<Array>]
          def rows(sql, *params) = @driver.rows(@words.text(sql), *params)

          # @return [Integer] how many rows it changed
          def run(sql, *params) = @driver.run(@words.text(sql), *params)

          # Those who wait for these queues are told when the transaction ends well, once each.
          # @param queues [Array<String>]
          def wake(queues)
            unless queues.empty?
              rows("SELECT pg_notify(name, '') FROM unnest($1::text[]) AS name",
                @words.channels(queues))
            end
          end

          # @param name [String] whoever else wants it, waits until this transaction ends
          def lock(name)
            rows("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", name, @words.seed)
          end

          # @return [Array<Integer>] higher than all before
          def numbers(count)
            rows("SELECT nextval('{numbers}') FROM generate_series(1, $1::int)", count).flatten
          end
        end
      end
    end
  end
end
